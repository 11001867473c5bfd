package core

import "github.com/godapl/godapl/internal/hca"

// Open moves a fresh queue pair into StateOpening. abort is called at most once, if this side gives up the
// attempt.
func (q *QP) Open(op string, abort func()) error {
	q.StateMu.Lock()
	defer q.StateMu.Unlock()
	if q.closed {
		return hca.NewError(hca.Closed, op, "", "the endpoint has been closed")
	}
	if st := q.State.Load(); st != StateNew {
		return hca.NewError(hca.State, op, "", "the endpoint is "+stateNames[st])
	}
	q.abort = abort
	q.State.Store(StateOpening)
	return nil
}

// MarkOver moves the queue pair into StateOver; the first caller's reason is kept. The next run of either half
// flushes what is posted.
func (q *QP) MarkOver(kind hca.ConnEventKind, err error) (first bool, abort func()) {
	q.StateMu.Lock()
	defer q.StateMu.Unlock()
	if q.State.Load() == StateOver {
		return false, nil
	}
	q.Kind, q.cause = kind, err
	if !q.reported {
		q.endsPending.Add(-1) // nothing to report, so no report to wait for
	}
	abort, q.abort = q.abort, nil
	q.State.Store(StateOver)
	return true, abort
}

// End ends the connection from this side: both sides report kind and err. The caller is inside no gate.
func (q *QP) End(kind hca.ConnEventKind, err error) {
	first, abort := q.MarkOver(kind, err)
	if !first {
		return
	}
	if abort != nil {
		abort()
	}
	RunStepHook(q, "over")
	if t := q.Transport(); t != nil {
		t.End(kind, err)
	}
	q.RunTx()
}

// BreakNow ends the connection from inside tx. The caller makes the peer, or the receive half, notice that.
func (q *QP) BreakNow(err error) {
	if first, abort := q.MarkOver(hca.EventBroken, err); first && abort != nil {
		q.Adapter.Engine.Do(abort)
	}
}

func (q *QP) Disconnect(graceful bool) error {
	q.StateMu.Lock()
	switch st := q.State.Load(); {
	case q.closed:
		q.StateMu.Unlock()
		return hca.NewError(hca.Closed, "disconnect", "", "the endpoint has been closed")
	case st == StateNew:
		q.StateMu.Unlock()
		return hca.NewError(hca.State, "disconnect", "", "the endpoint is "+stateNames[st])
	case st == StateReady && graceful:
		q.State.Store(StateClosing)
		q.StateMu.Unlock()
		q.RunTx()
		return nil
	case st == StateOver || st == StateClosing && graceful:
		q.StateMu.Unlock()
		return nil
	}
	q.StateMu.Unlock()
	q.End(hca.EventDisconnected, nil)
	return nil
}

// Release lets data move after the established event has been reported.
func (q *QP) Release() {
	q.Tx.Lock()
	q.Reporting = false
	var deferred Deferred
	q.step(&deferred)
	q.LeaveTx()
	q.RunTx()
	deferred.Finish()
}
