package vipl

import (
	"bytes"
	"context"
	"errors"

	"github.com/godapl/godapl/rdma"
)

// ConnectRequest connects an idle VI to a peer that waits at the remote address, for so many
// milliseconds (VipConnectRequest). It returns the attributes of the peer's VI, which may be
// nil. Otherwise the VI is idle again, with its receives: [Timeout], [Reject], [NoMatch] if
// nobody waits there, [NotReachable], InvalidReliabilityLevel or InvalidMTU if the attributes
// of the two VIs differ and the peer's program has rejected the request for that, InvalidState if the VI is not idle or
// [Disconnect] ended the call.
func ConnectRequest(viHandle VIHandle, localAddr, remoteAddr *NetAddress, timeOut uint32, remoteViAttribs *VIAttributes) Return {
	v := getVI(viHandle)
	if v == nil || !localAddr.valid() || !remoteAddr.valid() {
		return InvalidParameter
	}
	ctx, cancel := bound(v.nic.ctx, timeOut)
	defer cancel()
	ctx, ret := v.begin(ctx, nil)
	if ret != Success {
		return ret
	}
	attrs, ret := v.dial(ctx, asClient, localAddr, remoteAddr)
	if ret != Success {
		v.failed()
		return ret
	}
	put(remoteViAttribs, attrs)
	return Success
}

// dial connects to a listening peer.
func (v *vi) dial(ctx context.Context, kind byte, local, remote *NetAddress) (VIAttributes, Return) {
	hello := greeting{kind: kind, attrs: v.attrs, local: local.Discriminator(), remote: remote.Discriminator()}
	conn, err := v.ep.Connect(ctx, remote.place(), rdma.ConnConfig{Private: hello.bytes()})
	if err != nil {
		if v.nic.ctx.Err() != nil {
			return VIAttributes{}, InvalidParameter
		}
		return VIAttributes{}, unconnected(err)
	}
	answer, _ := parseGreeting(conn.PrivateData())
	v.established(conn)
	return answer.attrs, Success
}

// unconnected translates the error of a connect.
func unconnected(err error) Return {
	var e *rdma.Error
	errors.As(err, &e)
	switch codeOf(err) {
	case rdma.ErrRejected:
		return rejection(e.Private)
	case rdma.ErrRefused:
		return NoMatch
	case rdma.ErrTimeout:
		return Timeout
	case rdma.ErrCanceled, rdma.ErrDisconnected, rdma.ErrState:
		return InvalidState
	case rdma.ErrUnreachable, rdma.ErrBadAddress, rdma.ErrBroken:
		return NotReachable
	}
	return result(err)
}

// begin starts an attempt to connect, for which the peer's attributes must fit, if they are
// known. Disconnect and the end of the VI cancel the context.
func (v *vi) begin(ctx context.Context, with *VIAttributes) (context.Context, Return) {
	v.mu.Lock()
	defer v.mu.Unlock()
	switch {
	case v.gone:
		return nil, InvalidParameter
	case v.is() != StateIdle:
		return nil, InvalidState
	}
	if with != nil {
		if ret := v.attrs.fits(with); ret != Success {
			return nil, ret
		}
	}
	ctx, v.giveUp = context.WithCancel(ctx)
	v.over = make(chan struct{})
	v.lockQueues()
	defer v.unlockQueues()
	v.state.Store(uint32(StateConnectPending))
	v.arm()
	return ctx, Success
}

// arm gives the receives to the adapter. One that is posted later follows them at once. The caller holds the locks
// of the queues.
func (v *vi) arm() {
	v.attempt.Add(1)
	v.armed = true
	q := &v.recv
	for place := q.head; place != q.tail; place++ {
		p := q.at(place)
		if p.done || p.given { // given for an earlier connection, and flushed: nobody has looked yet
			continue
		}
		first, more, _, status := q.local(p.desc.list(p.count))
		switch {
		case status != 0:
			q.finish(p, status)
			v.fault()
		case !q.give(p, place, first, more):
			q.finish(p, StatusProtectionError)
		}
	}
}

// disarm takes the receives back. One that is posted later stays here, because the next attempt gives those before
// it first. The caller holds the locks of the queues.
func (v *vi) disarm() {
	v.armed = false
	if v.ep.State() != rdma.StateUnconnected {
		_ = v.ep.Reset() // it waits until the adapter has given up what was posted
	} else if _, receives := v.ep.Outstanding(); receives > 0 {
		v.replace()
	}
	v.recv.each(func(p *posted) {
		if p.of(v.attempt.Load()) {
			p.given, p.flushed = false, false
		}
	})
}

// replace gives the VI another endpoint: one that has not begun to connect keeps its receives, and an attempt may end
// before that. Without room in the adapter the VI is left with the closed one. The caller holds the locks of the queues.
func (v *vi) replace() {
	v.ep.Close()
	if ep, err := v.nic.adapter.NewEndpoint(v.config(&v.attrs, v.tag)); err == nil {
		v.ep = ep
	}
}

// each calls f for the descriptors that are not complete. The caller holds the lock.
func (q *workQueue) each(f func(p *posted)) {
	for place := q.head; place != q.tail; place++ {
		if p := q.at(place); !p.done {
			f(p)
		}
	}
}

// failed ends an attempt to connect: the VI is idle again.
func (v *vi) failed() {
	v.mu.Lock()
	v.lockQueues()
	v.disarm()
	v.state.Store(uint32(StateIdle))
	v.unlockQueues()
	v.settled()
	v.mu.Unlock()
	v.recv.drain()
}

// settled is called at the end of an attempt, with the lock.
func (v *vi) settled() {
	if v.giveUp != nil {
		v.giveUp()
		v.giveUp = nil
		close(v.over)
	}
}

// established ends an attempt to connect: the VI is connected.
func (v *vi) established(conn *rdma.Conn) {
	v.mu.Lock()
	v.lockQueues()
	caps := conn.Caps()
	v.immediate = [4]bool{ControlOpSendrecv: caps.SendImmediate, ControlOpRdmawrite: caps.WriteImmediate, ControlOpRdmaread: true, ControlOpReserved: true}
	v.confirms = v.attrs.ReliabilityLevel == ServiceReliableReception && !conn.Acked()
	v.conn = conn
	v.state.Store(uint32(StateConnected))
	v.recv.each(func(p *posted) {
		if p.flushed { // the connection has ended already
			v.recv.finish(p, StatusDescFlushedError)
		}
	})
	v.unlockQueues()
	v.settled()
	v.mu.Unlock()
	context.AfterFunc(conn.Context(), func() { v.lost(conn) })
}

// lost is called when a connection has ended.
func (v *vi) lost(conn *rdma.Conn) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.conn != conn || v.gone {
		return // by Disconnect
	}
	v.state.CompareAndSwap(uint32(StateConnected), uint32(StateError))
	v.nic.errors.tell(ErrorDescriptor{ResourceCode: ResourceVI, ViHandle: v.handle, ErrorCode: causeOf(context.Cause(conn.Context()))})
}

// causeOf is the code for the cause of a connection's end.
func causeOf(err error) ErrorCode {
	var e *rdma.Error
	if !errors.As(err, &e) || e.Refused == 0 {
		return ErrorConnLost
	}
	switch {
	case e.Status == rdma.StatusReceiverNotReady:
		return ErrorRecvqEmpty
	case e.Status != rdma.StatusRemoteAccess:
	case e.Refused == rdma.OpWrite || e.Refused == rdma.OpWriteImm:
		return ErrorRdmawProt
	case e.Refused == rdma.OpRead:
		return ErrorRdmarProt
	}
	return ErrorConnLost
}

// fault ends the connection because of a descriptor that could not be processed: those
// before it are. The caller holds the lock of a queue.
func (v *vi) fault() {
	if v.state.CompareAndSwap(uint32(StateConnected), uint32(StateError)) {
		_ = v.ep.BeginShutdown()
	}
}

// Disconnect ends the connection of a VI, or its attempt to connect, in any state
// (VipDisconnect). The VI is idle when it returns. Descriptors that were not processed
// complete, flushed; Done takes them off. So do those whose entry a full completion queue has
// lost. The peer's VI goes to the state Error, and its handler gets [ErrorConnLost].
func Disconnect(viHandle VIHandle) Return {
	v := getVI(viHandle)
	if v == nil {
		return InvalidParameter
	}
	v.mu.Lock()
	for v.giveUp != nil { // an attempt is under way
		v.giveUp()
		over := v.over
		v.mu.Unlock()
		<-over
		v.mu.Lock()
	}
	defer v.mu.Unlock()
	if v.gone {
		return InvalidParameter
	}
	v.peer = nil
	if conn := v.conn; conn != nil {
		v.conn = nil
		_ = conn.Abort()
		<-conn.Context().Done()
	}
	v.lockQueues()
	_ = v.ep.Reset()
	v.armed = false
	v.state.Store(uint32(StateIdle))
	v.unlockQueues()
	v.flush()
	return Success
}

// flush completes every descriptor of a VI that is idle again: those whose completions are there
// with them, and the others, flushed. Among these are the descriptors whose completions were lost
// because a completion queue was full. The caller holds the lock.
func (v *vi) flush() {
	v.send.drain()
	v.recv.drain()
	v.send.settle()
	v.recv.settle()
	v.send.drain() // a waiter that was asleep has kept it from taking anything, and has taken one itself
	v.recv.drain()
	v.lockQueues()
	defer v.unlockQueues()
	for _, q := range [...]*workQueue{&v.send, &v.recv} {
		q.each(func(p *posted) { q.finish(p, StatusDescFlushedError) })
	}
}

// same compares addresses.
func (a *NetAddress) same(b *NetAddress) int {
	if c := bytes.Compare(a.Host(), b.Host()); c != 0 {
		return c
	}
	return bytes.Compare(a.Discriminator(), b.Discriminator())
}
