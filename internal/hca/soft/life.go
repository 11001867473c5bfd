package soft

import (
	"github.com/godapl/godapl/internal/hca"
)

// open moves a fresh queue pair into the opening state. abort is called, once
// at most, if the attempt is given up from this side.
func (q *qp) open(op string, abort func()) error {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.closed {
		return hca.NewError(hca.Closed, op, "", "the endpoint has been closed")
	}
	if st := q.state.Load(); st != stNew {
		return hca.NewError(hca.State, op, "", "the endpoint is "+stateNames[st])
	}
	q.abort = abort
	q.state.Store(stOpening)
	return nil
}

// markOver makes the queue pair's end certain; the first caller's reason
// counts. What is posted is flushed by whoever runs the gates next.
func (q *qp) markOver(kind hca.ConnEventKind, err error) (first bool, abort func()) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.state.Load() == stOver {
		return false, nil
	}
	q.kind, q.cause = kind, err
	if !q.told {
		q.left.Add(-1) // nothing to report, so no report to wait for
	}
	abort, q.abort = q.abort, nil
	q.state.Store(stOver)
	return true, abort
}

// end ends the connection from this side: kind and err are what both sides
// report. The caller is inside no gate.
func (q *qp) end(kind hca.ConnEventKind, err error) {
	first, abort := q.markOver(kind, err)
	if !first {
		return
	}
	if abort != nil {
		abort()
	}
	at(q, "over")
	if t := q.transport(); t != nil {
		t.end(kind, err)
	}
	q.runTx()
}

// breakNow ends the connection from inside q's tx gate. The caller has the peer, or the
// receiving half, notice that.
func (q *qp) breakNow(err error) {
	if first, abort := q.markOver(hca.EventBroken, err); first && abort != nil {
		q.a.engine.do(abort)
	}
}

func (q *qp) Disconnect(graceful bool) error {
	q.mu.Lock()
	switch st := q.state.Load(); {
	case q.closed:
		q.mu.Unlock()
		return hca.NewError(hca.Closed, "disconnect", "", "the endpoint has been closed")
	case st == stNew:
		q.mu.Unlock()
		return hca.NewError(hca.State, "disconnect", "", "the endpoint is "+stateNames[st])
	case st == stReady && graceful:
		q.state.Store(stClosing)
		q.mu.Unlock()
		q.runTx()
		return nil
	case st == stOver || st == stClosing && graceful:
		q.mu.Unlock()
		return nil
	}
	q.mu.Unlock()
	q.end(hca.EventDisconnected, nil)
	return nil
}

// flushSend completes everything on the send side as flushed. The caller is
// inside tx, and the state is over.
func (q *qp) flushSend(af *after) {
	if q.apart.Load() && !q.sq.empty() {
		q.scq.shareBut(q)
	}
	at(q, "flush")
	failed, told := false, false // nothing succeeds behind a failure, and one cause is enough
	for ; q.sq.head != q.sq.tail; q.sq.head++ {
		r := q.sq.at(q.sq.head)
		status := hca.StatusFlushed
		switch {
		case r.done:
			status = r.status
		case r.begun && r.wr.Op == hca.OpBind:
			status = r.status // carried out, and nobody uses the former key; or it failed
		}
		if told || failed && status == hca.StatusOK {
			status = hca.StatusFlushed
		}
		failed = failed || status != hca.StatusOK
		told = told || status != hca.StatusOK && status != hca.StatusFlushed
		if r.wr.Op == hca.OpBind && status == hca.StatusFlushed {
			r.undoBind()
		}
		q.complete(&r.wr, r.total, status, af)
	}
	q.sq.next = q.sq.head
	if !q.flush.send {
		q.flush.send = true
		q.step(af)
	}
}

// flushRecv completes the receives of to as flushed. The caller has the sole
// right to take them, and to's state is over.
func (to *qp) flushRecv(cur *receive, curOn bool, af *after) {
	if curOn {
		to.received(cur, hca.OpRecv, hca.StatusFlushed, 0, 0, 0, false, af)
	}
	if to.srq == nil {
		r := to.rq
		r.mu.lock()
		for r.take(cur) {
			to.received(cur, hca.OpRecv, hca.StatusFlushed, 0, 0, 0, false, af)
		}
		to.rqDead = true
		r.mu.unlock()
	}
	to.step(af)
}

// step counts one of the things that precede the report of the end.
func (q *qp) step(af *after) {
	if q.left.Add(-1) == 0 {
		af.ended = append(af.ended, q)
	}
}

// release lets data move once established has been reported.
func (q *qp) release() {
	q.tx.lock()
	q.held = false
	var af after
	q.step(&af)
	q.leave()
	q.runTx()
	af.finish()
}
