package core

import (
	"context"

	"github.com/godapl/godapl/internal/hca"
)

// Acceptable checks the answer to a request and the queue pair that is to accept it, and opens the queue
// pair. cancel is called if the attempt is given up.
func (a *Adapter) Acceptable(op string, to hca.QP, p hca.ConnParams, cancel context.CancelCauseFunc) (*QP, error) {
	q, ok := to.(*QP)
	if !ok || q.Adapter != a {
		return nil, hca.NewError(hca.Invalid, op, "request", "the endpoint is of another adapter")
	}
	if err := CheckPrivate(op, p.Private); err != nil {
		return nil, err
	}
	return q, q.Open(op, func() { cancel(ErrAborted) })
}

// Establish moves a queue pair whose connection is agreed into StateReady. It reports whether it did: the
// attempt may have been given up. Until Release, Reporting holds the send half back, so that nothing is sent
// before the consumer has the established event.
func (q *QP) Establish(t Transport) bool {
	q.Tx.Lock()
	q.Reporting = true
	q.LeaveTx()
	q.StateMu.Lock()
	ok := q.State.Load() == StateOpening
	if ok {
		q.transport.Store(&t)
		q.reported, q.abort = true, nil
		q.State.Store(StateReady)
	}
	q.StateMu.Unlock()
	if ok {
		RunStepHook(q, "established")
	}
	return ok
}

// OpenFailed ends a queue pair whose connection was never made.
func (q *QP) OpenFailed(err error) error {
	q.Tx.Lock()
	q.Reporting = false
	q.LeaveTx()
	q.MarkOver(hca.EventBroken, err)
	q.RunTx()
	<-q.Finished
	return err
}

// EstablishPair is Establish for the two queue pairs of a connection in this process: both, or none.
func EstablishPair(active *QP, a Transport, passive *QP, p Transport) bool {
	for _, q := range [...]*QP{active, passive} {
		q.Tx.Lock()
		q.Reporting = true
		q.LeaveTx()
	}
	active.StateMu.Lock()
	defer active.StateMu.Unlock()
	passive.StateMu.Lock()
	defer passive.StateMu.Unlock()
	if active.State.Load() != StateOpening || passive.State.Load() != StateOpening {
		return false
	}
	active.transport.Store(&a)
	passive.transport.Store(&p)
	for _, q := range [...]*QP{active, passive} {
		q.reported, q.abort = true, nil
		q.State.Store(StateReady)
	}
	return true
}
