package rdma

import (
	"github.com/godapl/godapl/internal/hca"
)

// BeginShutdown begins an orderly end of the connection and does not wait for it
// (uDAPL: dat_ep_disconnect, graceful): a connection event, the context of the Conn and
// the state tell when it has come. What is posted completes first; new posts are refused
// with ErrState. It ends an attempt to connect or accept at once. On a disconnected
// endpoint it does nothing; on an unconnected one it fails with ErrState.
func (e *Endpoint) BeginShutdown() error { return e.disconnect(nil, true) }

// Abort begins an abrupt end of the connection and does not wait for it (uDAPL:
// dat_ep_disconnect, abrupt). What is not under way is flushed. All else is as with
// BeginShutdown.
func (e *Endpoint) Abort() error { return e.disconnect(nil, false) }

// disconnect is both, for the connection of one link alone unless that is nil.
func (e *Endpoint) disconnect(only *link, graceful bool) error {
	op := "abort"
	if graceful {
		op = "shut down"
	}
	e.mu.Lock()
	l, s := e.link.Load(), e.State()
	if only != nil && only != l && s != StateClosed {
		e.mu.Unlock()
		return nil // a link that was replaced has ended
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
	e.mu.Unlock()
	if s == StateConnecting || s == StateAccepting {
		l.abort(hca.NewError(hca.Disconnected, "connect", e.object(), "the connection was shut down or aborted meanwhile"))
		return nil
	}
	err := l.qp.Disconnect(graceful)
	if err == nil && graceful {
		// Whoever sees the state finds that posts are refused. The end may have
		// come already, and with it another connection.
		e.mu.Lock()
		if e.link.Load() == l {
			e.state.CompareAndSwap(uint32(StateConnected), uint32(StateDisconnecting))
		}
		e.mu.Unlock()
	}
	return hca.Named(err, op, l.object())
}

// Reset makes a disconnected endpoint unconnected again (uDAPL: dat_ep_reset).
// Completions of the old connection that have not been taken stay where they
// are. It may wait until nothing of the old connection is under way. On an
// unconnected endpoint it does nothing, otherwise ErrState.
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
	l := e.link.Load()
	l.reset.Store(true)
	if err := l.qp.Close(); err != nil {
		l.reset.Store(false)
		return hca.Named(err, "reset", e.object())
	}
	l.dismantle()
	e.events.forget()
	e.mu.Lock()
	defer e.mu.Unlock()
	e.link.Store(nil)
	e.conn.Store(nil)
	e.reused.Store(true)
	e.state.Store(uint32(StateUnconnected))
	return nil
}

// Close ends the endpoint and, abruptly, its connection (uDAPL: dat_ep_free).
// What is posted is flushed. It waits until no access is under way. Dispatchers
// of the endpoint's own are closed with it, and drop what has not been taken:
// whoever needs the last completions calls Abort, takes them, and closes
// then, or uses a CompletionQueue of the program.
func (e *Endpoint) Close() error {
	e.life.Lock()
	defer e.life.Unlock()
	if e.State() == StateClosed {
		return nil
	}
	err := e.shut()
	e.adapter.remove(e)
	return err
}

func (e *Endpoint) kind() string { return kindEndpoint }

// end closes for Adapter.Close.
func (e *Endpoint) end() { e.Close() }

// shut does the work of Close. e.life is held.
func (e *Endpoint) shut() error {
	e.mu.Lock()
	e.state.Store(uint32(StateClosed))
	l := e.link.Load()
	kept := e.kept
	e.kept = nil
	e.mu.Unlock()
	var err error
	if l != nil {
		l.abort(e.closedError("connect"))
		err = hca.Named(l.qp.Close(), "close", e.object())
		l.dismantle()
		e.link.Store(nil)
	}
	e.attempts.Wait()
	e.flushKept(kept)
	e.release()
	e.events.close()
	return err
}

func (e *Endpoint) closedError(op string) error {
	return hca.NewError(hca.Closed, op, e.object(), "the endpoint has been closed")
}
