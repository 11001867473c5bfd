package core

import "github.com/godapl/godapl/internal/hca"

// Open moves a fresh queue pair into the opening state. abort is called, once
// at most, if the attempt is given up from this side.
func (q *QP) Open(op string, abort func()) error {
	q.Mu.Lock()
	defer q.Mu.Unlock()
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

// MarkOver makes the queue pair's end certain; the first caller's reason
// counts. What is posted is flushed by whoever runs the gates next.
func (q *QP) MarkOver(kind hca.ConnEventKind, err error) (first bool, abort func()) {
	q.Mu.Lock()
	defer q.Mu.Unlock()
	if q.State.Load() == StateOver {
		return false, nil
	}
	q.Kind, q.cause = kind, err
	if !q.told {
		q.left.Add(-1) // nothing to report, so no report to wait for
	}
	abort, q.abort = q.abort, nil
	q.State.Store(StateOver)
	return true, abort
}

// End ends the connection from this side: kind and err are what both sides
// report. The caller is inside no gate.
func (q *QP) End(kind hca.ConnEventKind, err error) {
	first, abort := q.MarkOver(kind, err)
	if !first {
		return
	}
	if abort != nil {
		abort()
	}
	AtStep(q, "over")
	if t := q.Transport(); t != nil {
		t.End(kind, err)
	}
	q.RunTx()
}

// BreakNow ends the connection from inside q's tx gate. The caller has the peer, or the
// receiving half, notice that.
func (q *QP) BreakNow(err error) {
	if first, abort := q.MarkOver(hca.EventBroken, err); first && abort != nil {
		q.Adapter.Engine.Do(abort)
	}
}

func (q *QP) Disconnect(graceful bool) error {
	q.Mu.Lock()
	switch st := q.State.Load(); {
	case q.closed:
		q.Mu.Unlock()
		return hca.NewError(hca.Closed, "disconnect", "", "the endpoint has been closed")
	case st == StateNew:
		q.Mu.Unlock()
		return hca.NewError(hca.State, "disconnect", "", "the endpoint is "+stateNames[st])
	case st == StateReady && graceful:
		q.State.Store(StateClosing)
		q.Mu.Unlock()
		q.RunTx()
		return nil
	case st == StateOver || st == StateClosing && graceful:
		q.Mu.Unlock()
		return nil
	}
	q.Mu.Unlock()
	q.End(hca.EventDisconnected, nil)
	return nil
}

// Release lets data move once established has been reported.
func (q *QP) Release() {
	q.Tx.Lock()
	q.Reporting = false
	var af Deferred
	q.step(&af)
	q.LetGo()
	q.RunTx()
	af.Finish()
}
