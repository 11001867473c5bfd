package vipl

import (
	"bytes"
	"context"
	"time"
)

// meeting is an attempt to connect two peers.
type meeting struct {
	done  chan struct{} // closed at the end; the fields are set then
	ret   Return
	attrs VIAttributes
}

// ConnectPeerRequest begins to connect an idle VI to a peer that makes the same call with the
// two addresses exchanged (VipConnectPeerRequest). It does not wait: [ConnectPeerDone] and
// [ConnectPeerWait] tell the result, which is [Timeout] if the peer has not called within so
// many milliseconds. InvalidParameter if the addresses are equal.
//
// The side with the smaller address, compared byte by byte, connects; the other one waits for
// it, and knows it by its discriminator.
func ConnectPeerRequest(viHandle VIHandle, localAddr, remoteAddr *NetAddress, timeOut uint32) Return {
	v := getVI(viHandle)
	if v == nil || !localAddr.valid() || !remoteAddr.valid() || localAddr.same(remoteAddr) == 0 {
		return InvalidParameter
	}
	ctx, cancel := bound(v.nic.ctx, timeOut)
	ctx, ret := v.begin(ctx, nil)
	if ret != Success {
		cancel()
		return ret
	}
	local := MakeNetAddress(localAddr.Host(), localAddr.Discriminator())
	remote := MakeNetAddress(remoteAddr.Host(), remoteAddr.Discriminator())
	m := &meeting{done: make(chan struct{})}
	v.mu.Lock()
	v.peer = m
	v.mu.Unlock()
	attempt := func() {
		defer cancel()
		if local.same(remote) < 0 {
			m.ret = v.seek(ctx, local, remote, &m.attrs)
		} else {
			m.ret = v.expect(ctx, local, remote, &m.attrs)
		}
		if m.ret != Success {
			v.failed()
		}
		close(m.done)
	}
	ret = v.nic.start(attempt)
	if ret != Success {
		attempt() // its context has ended, or ends now
	}
	return ret
}

// How often the connecting side looks whether the other one waits.
const (
	seekFirst = time.Millisecond
	seekMost  = 50 * time.Millisecond
)

// seek connects to a peer that may not wait yet.
func (v *vi) seek(ctx context.Context, local, remote *NetAddress, attrs *VIAttributes) Return {
	for pause := seekFirst; ; pause = min(2*pause, seekMost) {
		var ret Return
		if *attrs, ret = v.dial(ctx, asPeer, local, remote); ret != NoMatch {
			return ret
		}
		v.lockQueues()
		v.disarm()
		v.unlockQueues()
		v.recv.drain() // the receives were flushed: many attempts would fill the queue
		timer := time.NewTimer(pause)
		select {
		case <-timer.C:
		case <-ctx.Done():
			timer.Stop()
			return v.ended(ctx)
		}
		v.lockQueues()
		v.arm()
		v.unlockQueues()
	}
}

// expect waits for a peer that connects.
func (v *vi) expect(ctx context.Context, local, remote *NetAddress, attrs *VIAttributes) Return {
	r, ret := v.nic.await(ctx, local.place(), func(g *greeting) bool {
		return g.kind == asPeer && bytes.Equal(g.remote, local.Discriminator()) && bytes.Equal(g.local, remote.Discriminator())
	})
	if ret != Success {
		if ret == Timeout {
			ret = v.ended(ctx)
		}
		return ret
	}
	*attrs = r.attrs
	r.mu.Lock()
	defer r.mu.Unlock()
	if ret := v.attrs.fits(&r.attrs); ret != Success {
		r.reject(ret)
		return ret
	}
	ret = v.answer(ctx, r)
	if ret != Success && !r.gone { // there is no room for the connection: the peer would wait for nothing
		r.reject(Reject)
	}
	return ret
}

// ended tells why an attempt was given up.
func (v *vi) ended(ctx context.Context) Return {
	switch {
	case v.nic.ctx.Err() != nil:
		return InvalidParameter
	case ctx.Err() == context.DeadlineExceeded:
		return Timeout
	}
	return InvalidState // by Disconnect
}

// ConnectPeerDone tells what has become of [ConnectPeerRequest] (VipConnectPeerDone), once:
// Success, with the attributes of the peer's VI, which may be nil; [NotDone] while it is under
// way; Timeout, Reject, NotReachable, InvalidReliabilityLevel or InvalidMTU. InvalidState if
// there was no request.
func ConnectPeerDone(viHandle VIHandle, remoteViAttribs *VIAttributes) Return {
	v := getVI(viHandle)
	if v == nil {
		return InvalidParameter
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	m := v.peer
	if m == nil {
		return InvalidState
	}
	select {
	case <-m.done:
		v.peer = nil
		return m.result(remoteViAttribs)
	default:
		return NotDone
	}
}

// ConnectPeerWait is [ConnectPeerDone] that waits for the result (VipConnectPeerWait).
func ConnectPeerWait(viHandle VIHandle, remoteViAttribs *VIAttributes) Return {
	v := getVI(viHandle)
	if v == nil {
		return InvalidParameter
	}
	v.mu.Lock()
	m := v.peer
	v.mu.Unlock()
	if m == nil {
		return InvalidState
	}
	<-m.done
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.peer == m {
		v.peer = nil
	}
	return m.result(remoteViAttribs)
}

func (m *meeting) result(attrs *VIAttributes) Return {
	if m.ret == Success {
		put(attrs, m.attrs)
	}
	return m.ret
}
