package soft

import (
	"context"

	"github.com/godapl/godapl/internal/hca"
)

// acceptable checks what a request from another process is to be accepted with, and
// opens the queue pair. cancel is called if the attempt is given up.
func (a *adapter) acceptable(op string, to hca.QP, p hca.ConnParams, cancel context.CancelCauseFunc) (*qp, error) {
	q, ok := to.(*qp)
	if !ok || q.a != a {
		return nil, hca.NewError(hca.Invalid, op, "request", "the endpoint is of another adapter")
	}
	if err := checkPrivate(op, p.Private); err != nil {
		return nil, err
	}
	return q, q.open(op, func() { cancel(errAborted) })
}

// opened moves a queue pair whose connection has been agreed on into the ready
// state. It tells whether it did: the attempt may have been given up. From here to release the sender's gate is held, so that
// nothing is sent before the consumer has been told.
func (q *qp) opened(t transport) bool {
	q.tx.lock()
	q.held = true
	q.leave()
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.state.Load() != stOpening {
		return false
	}
	q.link.Store(&t)
	q.told, q.abort = true, nil
	q.state.Store(stReady)
	return true
}

// openFailed ends a queue pair whose connection never was.
func (q *qp) openFailed(err error) error {
	q.tx.lock()
	q.held = false
	q.leave()
	q.markOver(hca.EventBroken, err)
	q.runTx()
	<-q.finished
	return err
}

// openedPair is opened for the two queue pairs of a connection in this process: both, or none.
func openedPair(active *qp, a transport, passive *qp, p transport) bool {
	for _, q := range [...]*qp{active, passive} {
		q.tx.lock()
		q.held = true
		q.leave()
	}
	active.mu.Lock()
	defer active.mu.Unlock()
	passive.mu.Lock()
	defer passive.mu.Unlock()
	if active.state.Load() != stOpening || passive.state.Load() != stOpening {
		return false
	}
	active.link.Store(&a)
	passive.link.Store(&p)
	for _, q := range [...]*qp{active, passive} {
		q.told, q.abort = true, nil
		q.state.Store(stReady)
	}
	return true
}
