package rdma

import (
	"github.com/godapl/godapl/internal/hca"
)

// BeginShutdown begins an orderly end of the connection and does not wait for it (uDAPL:
// dat_ep_disconnect, graceful): a connection event, the context of the Conn and the state
// report the end. Posted operations complete first; new posts are refused with ErrState. It
// ends an attempt to connect or accept at once; a connection that is established at that moment
// ends, too. On a disconnected endpoint it does nothing; on an unconnected one it fails with
// ErrState.
func (e *Endpoint) BeginShutdown() error { return e.disconnect(nil, true) }

// Abort begins an abrupt end of the connection and does not wait for it (uDAPL:
// dat_ep_disconnect, abrupt). Operations that have not started are flushed. All else is as
// with BeginShutdown.
func (e *Endpoint) Abort() error { return e.disconnect(nil, false) }

// disconnect implements both; a non-nil session restricts it to that connection.
func (e *Endpoint) disconnect(only *session, graceful bool) error {
	op := "abort"
	if graceful {
		op = "shut down"
	}
	e.mu.Lock()
	sess, s := e.session.Load(), e.State()
	if only != nil && only != sess && s != StateClosed {
		e.mu.Unlock()
		return nil // the session was replaced, so it has ended
	}
	switch s {
	case StateUnconnected:
		e.mu.Unlock()
		return hca.NewError(hca.State, op, e.object(), "it is unconnected, so there is nothing to end")
	case StateClosed:
		e.mu.Unlock()
		return e.closedError(op)
	case StateDisconnected:
		e.mu.Unlock()
		return nil
	case StateDisconnecting:
		if graceful {
			e.mu.Unlock()
			return nil
		}
	}
	attempt := s == StateConnecting || s == StateAccepting
	if attempt {
		left := leftAbruptly
		if graceful {
			left = leftInOrder
		}
		sess.left = max(sess.left, left)
	}
	e.mu.Unlock()
	if attempt {
		sess.abort(hca.NewError(hca.Disconnected, "connect", e.object(), "the connection was shut down or aborted meanwhile"))
		return nil
	}
	kind := FlightAbort
	if graceful {
		kind = FlightShutdown
	}
	sess.flight.note(kind)
	err := sess.qp.Disconnect(graceful)
	if err == nil && graceful {
		// Posts must be refused before the state changes. The end may have arrived already,
		// and with it another connection.
		e.mu.Lock()
		if e.session.Load() == sess {
			e.state.CompareAndSwap(uint32(StateConnected), uint32(StateDisconnecting))
		}
		e.mu.Unlock()
	}
	return hca.Named(err, op, sess.object())
}

// leaving says that the program has ended an attempt to connect or accept, and how. The greater one counts.
type leaving uint8

const (
	notLeft leaving = iota
	leftInOrder
	leftAbruptly
)

// leave ends a connection which was established although the program had ended the attempt: the adapter
// was done with it before it looked at the context.
func (e *Endpoint) leave(sess *session) {
	e.mu.Lock()
	left := sess.left
	e.mu.Unlock()
	if left != notLeft {
		_ = e.disconnect(sess, left == leftInOrder) // refused if the peer was faster
	}
}

// Reset makes a disconnected endpoint unconnected again (uDAPL: dat_ep_reset). Completions of
// the old connection that have not been taken stay in their queues. Reset may wait until the
// old connection is idle. On an unconnected endpoint it does nothing; in other states it fails
// with ErrState.
func (e *Endpoint) Reset() error {
	e.life.Lock()
	defer e.life.Unlock()
	switch s := e.State(); s {
	case StateUnconnected:
		return nil
	case StateClosed:
		return e.closedError("reset")
	case StateDisconnected:
	default:
		return hca.NewError(hca.State, "reset", e.object(), "it is "+s.String()+"; Abort it first")
	}
	sess := e.session.Load()
	sess.reset.Store(true)
	if err := sess.qp.Close(); err != nil {
		sess.reset.Store(false)
		return hca.Named(err, "reset", e.object())
	}
	sess.awaitEnd()
	e.retire(sess)
	sess.dismantle()
	e.events.forget()
	e.mu.Lock()
	defer e.mu.Unlock()
	e.session.Store(nil)
	e.conn.Store(nil)
	e.reused.Store(true)
	e.state.Store(uint32(StateUnconnected))
	return nil
}

// Close ends the endpoint and, abruptly, its connection (uDAPL: dat_ep_free). Posted
// operations are flushed. Close waits until no access to memory is in progress. The endpoint's
// own dispatchers are closed and drop their events: a program that needs the last completions
// calls Abort and takes them before Close, or uses its own CompletionQueue.
func (e *Endpoint) Close() error {
	e.life.Lock()
	defer e.life.Unlock()
	if e.State() == StateClosed {
		return nil
	}
	err := e.shut()
	e.adapter.closedEndpoint(e)
	return err
}

func (e *Endpoint) kind() string { return kindEndpoint }

// end is Close for Adapter.Close.
func (e *Endpoint) end() { e.Close() }

// shut does the work of Close. The caller holds e.life.
func (e *Endpoint) shut() error {
	e.mu.Lock()
	e.state.Store(uint32(StateClosed))
	sess := e.session.Load()
	kept := e.earlyRecvs
	e.earlyRecvs = nil
	e.mu.Unlock()
	var err error
	if sess != nil {
		sess.abort(e.closedError("connect"))
		err = hca.Named(sess.qp.Close(), "close", e.object())
		sess.awaitEnd()
		e.retire(sess)
		sess.dismantle()
		e.session.Store(nil)
	}
	e.attempts.Wait()
	e.flushEarlyRecvs(kept)
	e.release()
	e.events.close()
	return err
}

func (e *Endpoint) closedError(op string) error {
	return hca.NewError(hca.Closed, op, e.object(), "the endpoint has been closed")
}
