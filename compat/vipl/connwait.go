package vipl

import (
	"bytes"
	"context"

	"github.com/godapl/godapl/rdma"
)

// bound is a context that ends after so many milliseconds.
func bound(ctx context.Context, timeout uint32) (context.Context, context.CancelFunc) {
	if timeout == Infinite {
		// The native calls have a limit of their own unless they are given one.
		return context.WithTimeout(ctx, 1<<62)
	}
	return context.WithTimeout(ctx, milliseconds(timeout))
}

// ConnectWait waits for a request to connect to the local address, for so many milliseconds
// (VipConnectWait). It returns the address and the attributes of the peer's VI, which may be
// nil, and a handle for [ConnectAccept] or [ConnectReject]. A request that comes while nobody
// waits is refused with [NoMatch]. [Timeout] when the time has passed; ErrorResource if another
// NIC, process or service has the port of this address, which follows from the discriminator
// unless the address has one: two discriminators may have the same port.
func ConnectWait(nicHandle NICHandle, localAddr *NetAddress, timeOut uint32, remoteAddr *NetAddress, remoteViAttribs *VIAttributes, connHandle *ConnHandle) Return {
	n := getNIC(nicHandle)
	if connHandle == nil {
		return InvalidParameter
	}
	*connHandle = 0
	if n == nil || !localAddr.valid() {
		return InvalidParameter
	}
	ctx, cancel := bound(n.ctx, timeOut)
	defer cancel()
	discriminator := bytes.Clone(localAddr.Discriminator())
	r, ret := n.await(ctx, localAddr.place(), func(g *greeting) bool {
		return g.kind == asClient && bytes.Equal(g.remote, discriminator)
	})
	if ret != Success {
		return ret
	}
	r.refusal = Reject
	r.handle = ConnHandle(conns.Reserve())
	conns.Put(uint64(r.handle), r)
	if !n.add(uint64(r.handle), func() { conns.Remove(uint64(r.handle)) }) {
		conns.Remove(uint64(r.handle))
		return InvalidParameter
	}
	put(remoteViAttribs, r.attrs)
	if remoteAddr != nil {
		*remoteAddr = *MakeNetAddress(hostOf(r.native.RemoteAddr().String(), n.host), r.local)
	}
	*connHandle = r.handle
	return Success
}

// ConnectAccept connects an idle VI to the peer of a request (VipConnectAccept). Receives
// that are posted are ready before the peer can send. It waits until the connection is
// established.
//
// If the attributes of the two VIs do not fit together, InvalidReliabilityLevel or
// InvalidMTU, the request stays, and another VI can be tried; so it does after InvalidState,
// for a VI that is not idle. [Timeout] if the peer has given up, and InvalidState if [Disconnect]
// ended the call: the request is gone then.
func ConnectAccept(connHandle ConnHandle, viHandle VIHandle) Return {
	r, v := conns.Get(uint64(connHandle)), getVI(viHandle)
	if r == nil || v == nil || v.nic != r.nic {
		return InvalidParameter
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.gone {
		return InvalidParameter
	}
	ctx, ret := v.begin(v.nic.ctx, &r.attrs)
	if ret == InvalidReliabilityLevel || ret == InvalidMTU {
		r.refusal = ret
	}
	if ret != Success {
		return ret
	}
	if ret = v.answer(ctx, r); ret != Success {
		v.failed()
	}
	return ret
}

// answer accepts a request, of which the caller holds the lock.
func (v *vi) answer(ctx context.Context, r *request) Return {
	answer := greeting{kind: asAnswer, attrs: v.attrs}
	conn, err := r.native.AcceptOn(ctx, v.ep, rdma.ConnConfig{Private: answer.bytes()})
	if err == nil {
		r.end()
		v.established(conn)
		return Success
	}
	switch codeOf(err) {
	case rdma.ErrInvalid, rdma.ErrState, rdma.ErrResources:
		return result(err)
	}
	if ctx.Err() != nil {
		r.reject(Reject) // unless it was answered
		return v.ended(ctx)
	}
	r.end()
	return Timeout
}

// ConnectReject refuses a request (VipConnectReject): the peer gets [Reject], or what ConnectAccept
// has returned if the attributes of the VIs did not fit together.
func ConnectReject(connHandle ConnHandle) Return {
	r := conns.Get(uint64(connHandle))
	if r == nil {
		return InvalidParameter
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.gone {
		return InvalidParameter
	}
	return r.reject(r.refusal)
}

// reject tells the peer what its call shall return. The caller holds the lock.
func (r *request) reject(why Return) Return {
	err := r.native.Reject([]byte{greetingMagic[0], greetingMagic[1], byte(why)})
	r.end()
	if err != nil && codeOf(err) != rdma.ErrState {
		return Timeout // the peer has given up
	}
	return Success
}

// rejection is what reject told.
func rejection(private []byte) Return {
	if len(private) >= 3 && string(private[:2]) == greetingMagic {
		switch why := Return(private[2]); why {
		case InvalidReliabilityLevel, InvalidMTU:
			return why
		}
	}
	return Reject
}

// end makes the handle invalid. The caller holds the lock.
func (r *request) end() {
	r.gone = true
	if r.handle != 0 && conns.Remove(uint64(r.handle)) {
		r.nic.forget(uint64(r.handle))
	}
}
