package verbs

import (
	"github.com/godapl/godapl/internal/hca"
	"github.com/godapl/godapl/internal/hca/verbs/ibv"
)

// Disconnect ends the connection and does not wait.
func (q *qp) Disconnect(graceful bool) error {
	const op = "Disconnect"
	q.mu.Lock()
	defer q.mu.Unlock()
	switch {
	case q.closed && q.state > draining && !q.isOver():
		return nil // it is ending, and the report of that is asking
	case q.closed:
		return hca.NewError(hca.Closed, op, "queue pair", "it has been closed")
	case q.state == fresh:
		return hca.NewError(hca.State, op, "queue pair", "it has not been connected")
	case q.state == connecting:
		if graceful {
			return hca.NewError(hca.State, op, "queue pair", "it is not connected yet: disconnect abruptly to end that")
		}
		q.stopConnecting()
		return nil
	case graceful && q.state == connected:
		q.asked = true
		q.state = draining
		q.ad.ends.Go(q.ad.labeled("close", func() { q.finish(true) }))
	case !graceful:
		if q.state == connected {
			q.asked = true
		}
		q.begin(ending)
	}
	return nil
}

// isOver reports whether the end has been reported.
func (q *qp) isOver() bool { return shut(q.ended) }

// abort ends a queue pair whose connection was not established. If it was
// established, abort does nothing.
func (q *qp) abort() bool {
	q.mu.Lock()
	if q.state > connecting {
		q.mu.Unlock()
		return false
	}
	q.state = ending
	if q.srq != nil && q.h != 0 {
		q.id.takeQP() // from here on the peer's answer does not make it ready
		if q.listens() {
			q.mu.Unlock()
			q.awaitShared()
			q.mu.Lock()
		}
	}
	id, h := q.id, q.part()
	// The device may release the queue pair late, but must access no memory
	// from here on.
	late := h != 0 && q.unanswered
	if late {
		q.ad.lib.ModifyQP(h, &ibv.QPAttr{State: ibv.QPError}, ibv.QPAttrState)
	} else {
		q.destroy(h)
	}
	q.mu.Unlock()
	q.rcq.mu.Lock()
	// Messages may have come before the established event, and some of their completions
	// may still be in the device: they count no more than those that were held back.
	q.rcq.pull()
	if q.srq != nil { // they have used up receives
		for i := range q.recv.held {
			q.recv.held[i].Status = ibv.WCWRFlushErr
		}
		q.recv.release(q.rcq)
	}
	q.recv.held, q.recv.open = nil, true // they are flushed
	q.rcq.finish()
	q.flushAll()
	gone := func() {
		if late {
			q.destroy(h)
		}
		if id != nil {
			id.close()
		}
		close(q.ended)
	}
	if late {
		q.ad.ends.Go(q.ad.labeled("close", gone)) // Close waits
	} else {
		gone()
	}
	return true
}

// listens reports whether the device's queue pair takes messages. Called with mu held.
func (q *qp) listens() bool {
	attr, _, e := q.ad.lib.QueryQP(q.h, ibv.QPAttrState)
	return e != 0 || attr.State != ibv.QPInit
}

// awaitShared makes the device give back the shared receives that it has taken, as finish
// does, for a queue pair that may have got messages although it was never connected.
func (q *qp) awaitShared() {
	q.ad.lib.ModifyQP(q.h, &ibv.QPAttr{State: ibv.QPError}, ibv.QPAttrState)
	q.awaitCompletions(nil, flushTime, q.sharedDone)
	q.rcq.drive()
}

// Close ends the connection, if any, and waits for the end.
func (q *qp) Close() error {
	q.mu.Lock()
	if q.closed {
		q.mu.Unlock()
		<-q.ended
		return hca.NewError(hca.Closed, "QP.Close", "queue pair", "it has been closed")
	}
	q.closed = true
	switch q.state {
	case fresh:
		q.mu.Unlock()
		q.abort()
	case connecting:
		q.stopConnecting()
		q.mu.Unlock()
	default:
		if q.state <= draining {
			q.asked = true
		}
		q.begin(ending)
		q.mu.Unlock()
	}
	<-q.ended
	remove(q.ad, q.ad.all, q)
	q.ad.table.drop(q.index)
	q.leave()
	q.mu.Lock()
	q.free()
	q.mu.Unlock()
	return nil
}

// Outstanding counts the requests that the device has not reported as complete.
func (q *qp) Outstanding() (requests, receives int) {
	q.scq.drive()
	if q.rcq != q.scq {
		q.rcq.drive()
	}
	if q.srq == nil {
		receives = q.recv.outstanding()
	}
	return q.send.outstanding(), receives
}

// Held counts the receives that the device may still fill.
func (q *qp) Held() (buffers, span int) {
	if q.srq != nil {
		return 0, 0
	}
	_, n := q.Outstanding()
	return n, n
}
