package dat

import (
	"context"
	"errors"
	"time"

	"github.com/godapl/godapl/rdma"
)

// EPConnect connects an endpoint (dat_ep_connect), and does not wait: its connect
// dispatcher gets exactly one event with the outcome. The endpoint needs a zone and a
// connect dispatcher. After a failure it is DISCONNECTED and its receives are flushed.
// The port of the address is ignored. If the file /etc/dapl/ibhosts names the host, the
// address in that file is used; the environment variable GODAPL_IBHOSTS names another
// file, and [InternalError] means that it cannot be read.
func EPConnect(epHandle EPHandle, remoteIAAddress IAAddressPtr, remoteConnQual ConnQual, timeout Timeout, privateDataSize Count, privateData []byte, qos QOS, connectFlags ConnectFlags) Return {
	e := getEP(epHandle)
	if e == nil {
		return badEP
	}
	if missing(remoteIAAddress) {
		return badArg(2)
	}
	if ret := e.ia.checkConnect(timeout, 4, privateDataSize, privateData, qos, 7); ret != Success {
		return ret
	}
	switch connectFlags {
	case ConnectDefaultFlag:
	case ConnectMultipathFlag, ConnectMultipathRequiredFlag:
		return failure(ModelNotSupported, NoSubtype)
	default:
		return badArg(8)
	}
	host, _, ret := reached(remoteIAAddress)
	if ret != Success {
		return ret
	}
	return e.connect(target{address: joinAddress(host, remoteConnQual), flags: connectFlags}, timeout, privateData[:privateDataSize])
}

// EPDupConnect connects an endpoint to the peer of another endpoint
// (dat_ep_dup_connect), which must be CONNECTED and is not changed. The remote service
// point must still listen.
func EPDupConnect(epHandle, dupEPHandle EPHandle, timeout Timeout, privateDataSize Count, privateData []byte, qos QOS) Return {
	e := getEP(epHandle)
	if e == nil {
		return badEP
	}
	dup := e.ia.getEP(dupEPHandle)
	if dup == nil {
		return badEP
	}
	if ret := e.ia.checkConnect(timeout, 3, privateDataSize, privateData, qos, 6); ret != Success {
		return ret
	}
	if s := e.state(); s != EPStateUnconnected {
		return e.wrongState(s)
	}
	dup.mu.Lock()
	to := target{address: dup.remote.address, flags: dup.remote.flags}
	dup.mu.Unlock()
	if s := dup.state(); s != EPStateConnected {
		return dup.wrongState(s)
	}
	return e.connect(to, timeout, privateData[:privateDataSize])
}

// EPCommonConnect connects an endpoint to an address whose port is the service
// (dat_ep_common_connect, 2.0; the semantics are partly inferred). See [EPConnect]
// about the names of hosts.
func EPCommonConnect(epHandle EPHandle, remoteIAAddress IAAddressPtr, timeout Timeout, privateDataSize Count, privateData []byte) Return {
	e := getEP(epHandle)
	if e == nil {
		return badEP
	}
	if missing(remoteIAAddress) {
		return badArg(2)
	}
	if ret := e.ia.checkConnect(timeout, 3, privateDataSize, privateData, QOSBestEffort, 0); ret != Success {
		return ret
	}
	host, port, ret := reached(remoteIAAddress)
	if port == 0 && ret.Type() != InternalError {
		return badArg(2)
	}
	if ret != Success {
		return ret
	}
	return e.connect(target{address: joinAddress(host, ConnQual(port))}, timeout, privateData[:privateDataSize])
}

// checkConnect makes the checks that the three calls share. The timeout is the n-th
// argument, followed by the private data; qos is the q-th.
func (a *ia) checkConnect(timeout Timeout, n int, size Count, data []byte, qos QOS, q int) Return {
	if timeout == 0 {
		return badArg(n)
	}
	if ret := a.checkPrivate(size, data, n+1); ret != Success {
		return ret
	}
	switch qos {
	case QOSBestEffort:
		return Success
	case QOSHighThroughput, QOSLowLatency, QOSEconomy, QOSPremium:
		return failure(ModelNotSupported, NoSubtype)
	}
	return badArg(q)
}

// forever stands for an infinite timeout: the native API would give an attempt without
// a deadline a default one.
const forever = 100 * 365 * 24 * time.Hour

// connect begins the attempt.
func (e *ep) connect(to target, timeout Timeout, private []byte) Return {
	e.mu.Lock()
	defer e.mu.Unlock()
	if s := e.state(); s != EPStateUnconnected {
		return e.wrongState(s)
	}
	if e.parts.pz == nil || e.parts.connect == nil {
		return failure(InvalidState, InvalidStateEPNotready)
	}
	limit := forever
	if timeout != TimeoutInfinite {
		limit = timeout.duration()
	}
	ctx, cancel := context.WithTimeout(e.ia.ctx, limit)
	formerly, was := e.remote, e.active.Load()
	e.remote = to
	e.active.Store(true)
	d := e.parts.connect.d
	err := e.native.ConnectAsync(ctx, e.ia.reach(to.address), rdma.ConnConfig{Private: private}, func(_ *rdma.Conn, err error) {
		cancel()
		if ev := e.outcome(err); ev != nil {
			feed(d).PutAfterSources(ev, false)
		}
	})
	if err != nil {
		cancel()
		e.remote = formerly
		e.active.Store(was)
		if codeOf(err) == rdma.ErrState {
			return e.wrongState(e.state())
		}
		return result(err, ResourceTEP, InvalidHandleEP)
	}
	return Success
}

// outcome is the event of a failed attempt to connect; nil if it did not fail, or
// nothing receives the event.
func (e *ep) outcome(err error) *record {
	ev := &record{handle: e.handle}
	switch codeOf(err) {
	case rdma.ErrRejected:
		ev.number = ConnectionEventPeerRejected
		var re *rdma.Error
		if errors.As(err, &re) && len(re.Private) > 0 {
			ev.ptr = re.Private
		}
	case rdma.ErrUnreachable, rdma.ErrBadAddress:
		ev.number = ConnectionEventUnreachable
	case rdma.ErrTimeout:
		ev.number = ConnectionEventTimedOut
	case rdma.ErrDisconnected:
		ev.number = ConnectionEventDisconnected
	case rdma.ErrClosed:
		return nil
	default:
		ev.number = ConnectionEventNonPeerRejected
	}
	if err == nil {
		return nil
	}
	return ev
}

// accept begins to accept a request.
func (e *ep) accept(c *cr, private []byte) Return {
	e.mu.Lock()
	defer e.mu.Unlock()
	phase := EPState(e.phase.Load())
	if s := e.state(); c.ep == nil && s != EPStateUnconnected {
		return e.wrongState(s)
	}
	if e.parts.pz == nil || e.parts.connect == nil {
		return badEP
	}
	d := e.parts.connect.d
	formerly, was := e.remote, e.active.Load()
	e.remote = c.from()
	e.active.Store(false)
	e.asked.Store(false)
	e.setPhase(0)
	err := c.request.AcceptAsync(e.ia.ctx, e.native, rdma.ConnConfig{Private: private}, func(_ *rdma.Conn, err error) {
		if ev := e.outcome(err); ev != nil {
			if ev.number != ConnectionEventDisconnected || !e.asked.Load() {
				ev.number, ev.ptr = ConnectionEventAcceptCompletionError, nil
			}
			feed(d).PutAfterSources(ev, false)
		}
	})
	if err != nil {
		e.setPhase(phase)
		e.remote = formerly
		e.active.Store(was)
		if codeOf(err) == rdma.ErrState {
			return e.wrongState(e.state())
		}
		return result(err, ResourceTEP, InvalidHandleEP)
	}
	return Success
}

// connected makes a record of a connection event.
func connected(r *record, ev *rdma.ConnEvent) {
	r.handle = Handle(ev.Endpoint.Tag())
	switch ev.Kind {
	case rdma.Established:
		r.number = ConnectionEventEstablished
		if e := eps.Get(r.handle); e != nil && e.active.Load() {
			if private := ev.Conn.PrivateData(); len(private) > 0 {
				r.ptr = private
			}
		}
	case rdma.Disconnected:
		r.number = ConnectionEventDisconnected
	default:
		r.number = ConnectionEventBroken
	}
	if r.number != ConnectionEventEstablished {
		lastReceived(r.handle)
	}
}

// lastReceived tells that an endpoint with a shared receive queue has got its last
// receive. It is reported with the end of the connection, not separately: programs
// that wait for the two events in turns expect the same order of endpoints in both.
func lastReceived(h Handle) {
	if e := eps.Get(h); e != nil && e.rules.Load().srq != nil {
		e.ia.tell(AsyncErrorEPBroken, h, EPOtherError)
	}
}
