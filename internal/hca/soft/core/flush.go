package core

import (
	"github.com/godapl/godapl/internal/hca"
	"github.com/godapl/godapl/internal/hca/soft/receives"
)

// FlushSend completes all remaining requests as flushed. The caller is inside tx, and the state is StateOver.
func (q *QP) FlushSend(deferred *Deferred) {
	if q.leavingCQs.Load() && !q.SQ.Empty() {
		q.SendCQ.shareExcept(q)
	}
	RunStepHook(q, "flush")
	failed, reported := false, false // nothing succeeds after a failure, and only one request reports the cause
	for ; q.SQ.Head != q.SQ.Tail; q.SQ.Head++ {
		r := q.SQ.At(q.SQ.Head)
		status := hca.StatusFlushed
		switch {
		case r.Done:
			status = r.Status
		case r.Begun && r.WR.Op == hca.OpBind:
			status = r.Status // carried out, and nobody uses the former key; or failed
		}
		if reported || failed && status == hca.StatusOK {
			status = hca.StatusFlushed
		}
		failed = failed || status != hca.StatusOK
		reported = reported || status != hca.StatusOK && status != hca.StatusFlushed
		if r.WR.Op == hca.OpBind && status == hca.StatusFlushed {
			r.undoBind()
		}
		q.Complete(&r.WR, r.Total, status, deferred)
	}
	q.SQ.Next = q.SQ.Head
	if !q.Flush.Send {
		q.Flush.Send = true
		q.StallEnds()
		q.step(deferred)
	}
}

// FlushRecv completes the remaining receives of to as flushed. The caller has the only right to take them, and
// to is in StateOver.
func (to *QP) FlushRecv(cur *receives.Receive, hasCur bool, deferred *Deferred) {
	if hasCur {
		to.Received(cur, hca.OpRecv, hca.StatusFlushed, 0, 0, 0, false, deferred)
	}
	if to.SRQ == nil {
		r := to.RQ
		r.Mu.Lock()
		for r.Take(cur) {
			to.Received(cur, hca.OpRecv, hca.StatusFlushed, 0, 0, 0, false, deferred)
		}
		to.rqDead = true
		r.Mu.Unlock()
	} else {
		to.SRQ.leaveTurn(to)
	}
	to.step(deferred)
}

// step counts one of the steps before the report of the end.
func (q *QP) step(deferred *Deferred) {
	if q.endsPending.Add(-1) == 0 {
		deferred.ended, deferred.rare = append(deferred.ended, q), true
	}
}
