package core

import "github.com/godapl/godapl/internal/hca"

// FlushSend completes all remaining requests as flushed. The caller is inside tx, and the state is StateOver.
func (q *QP) FlushSend(af *Deferred) {
	if q.apart.Load() && !q.SQ.Empty() {
		q.SendCQ.shareBut(q)
	}
	AtStep(q, "flush")
	failed, told := false, false // nothing succeeds after a failure, and only one request reports the cause
	for ; q.SQ.Head != q.SQ.Tail; q.SQ.Head++ {
		r := q.SQ.At(q.SQ.Head)
		status := hca.StatusFlushed
		switch {
		case r.Done:
			status = r.Status
		case r.Begun && r.WR.Op == hca.OpBind:
			status = r.Status // carried out, and nobody uses the former key; or failed
		}
		if told || failed && status == hca.StatusOK {
			status = hca.StatusFlushed
		}
		failed = failed || status != hca.StatusOK
		told = told || status != hca.StatusOK && status != hca.StatusFlushed
		if r.WR.Op == hca.OpBind && status == hca.StatusFlushed {
			r.undoBind()
		}
		q.Complete(&r.WR, r.Total, status, af)
	}
	q.SQ.Next = q.SQ.Head
	if !q.Flush.Send {
		q.Flush.Send = true
		q.step(af)
	}
}

// FlushRecv completes the remaining receives of to as flushed. The caller has the only right to take them, and
// to is in StateOver.
func (to *QP) FlushRecv(cur *Receive, curOn bool, af *Deferred) {
	if curOn {
		to.Received(cur, hca.OpRecv, hca.StatusFlushed, 0, 0, 0, false, af)
	}
	if to.SRQ == nil {
		r := to.RQ
		r.mu.Lock()
		for r.take(cur) {
			to.Received(cur, hca.OpRecv, hca.StatusFlushed, 0, 0, 0, false, af)
		}
		to.rqDead = true
		r.mu.Unlock()
	}
	to.step(af)
}

// step counts one of the steps before the report of the end.
func (q *QP) step(af *Deferred) {
	if q.left.Add(-1) == 0 {
		af.ended = append(af.ended, q)
	}
}
