package core

import (
	"github.com/godapl/godapl/internal/hca"
	"github.com/godapl/godapl/internal/hca/ops"
	"github.com/godapl/godapl/internal/hca/soft/gate"
	"github.com/godapl/godapl/internal/hca/soft/receives"
)

// Complete completes a request. It makes an entry, unless the request succeeded and asked for none.
func (q *QP) Complete(wr *hca.SendWR, n uint64, status hca.Status, deferred *Deferred) {
	flags := wr.Flags
	if status == hca.StatusOK {
		if wr.Op == hca.OpBind {
			n = wr.Bind.Len
		}
		q.Succeed(wr.ID, n, wr.Op, flags, deferred)
		return
	}
	flags &^= hca.Quiet
	q.countFailed(wr.ID, wr.Op, status)
	q.entered(wr.ID, 0, wr.Op, status, flags)
	deferred.wake(q.SendCQ, flags)
}

// Succeed is Complete for a request that succeeded.
func (q *QP) Succeed(id, n uint64, op hca.Op, flags hca.Flags, deferred *Deferred) {
	q.CountSent(op, n)
	q.recordSent(id, op, n)
	if flags&hca.Suppress != 0 {
		q.Tx.Uncount(1)
		return
	}
	q.entered(id, n, op, hca.StatusOK, flags)
	deferred.wake(q.SendCQ, flags)
}

// entered makes the entry of a request. The caller is inside tx.
func (q *QP) entered(id, n uint64, op hca.Op, status hca.Status, flags hca.Flags) {
	if c := q.SendCQ; !c.shared.Load() {
		// What enteredWith does, without the calls: only this send half fills the queue.
		r := c.tailRing
		if t := r.tail.Load(); t-r.seen < r.most {
			q.enter(&r.slots[t&r.mask], id, n, op, status, flags)
			gate.StoreRelease(&r.tail, t+1)
			return
		}
	}
	q.enteredWith(id, n, op, status, flags)
}

// enteredWith is for a queue with other producers too, and for one that seems to be full. It is not part of entered,
// which would have to keep its arguments across the calls.
//
//go:noinline
func (q *QP) enteredWith(id, n uint64, op hca.Op, status hca.Status, flags hca.Flags) {
	c := q.SendCQ
	if e, locked := c.begin(); e != nil {
		q.enter(e, id, n, op, status, flags)
		c.commit(locked)
	} else {
		q.Tx.Uncount(1) // nobody will take it
	}
}

// enter fills an entry in. From then on the request's slot is free.
func (q *QP) enter(e *entry, id, n uint64, op hca.Op, status hca.Status, flags hca.Flags) {
	wc := &e.wc
	wc.ID, wc.Owner, wc.Len, wc.Imm, wc.RKey, wc.Vendor = id, q.Owner, n, 0, 0, 0
	wc.Op, wc.Status, wc.Flags = op, status, flags
	e.back = &q.Tx.Back
	gate.StoreRelease(&q.Tx.Made, q.Tx.Made.Load()+1)
}

// Received completes a receive of q.
func (q *QP) Received(rc *receives.Receive, op hca.Op, status hca.Status, n uint64, imm uint32, key hca.Key, solicited bool, deferred *Deferred) {
	flags := rc.Flags
	switch {
	case status != hca.StatusOK:
		flags &^= hca.Quiet
		n = 0
	case q.Config.SolicitQuiet && !solicited:
		flags |= hca.Quiet
	}
	if status == hca.StatusOK {
		q.CountReceived(op, n)
		q.RecordReceived(rc.ID, op, n)
	} else {
		q.countReceiveFailed(rc.ID, op, status)
	}
	if e, locked := q.RecvCQ.begin(); e != nil {
		wc := &e.wc
		wc.ID, wc.Owner, wc.Len, wc.Imm, wc.RKey, wc.Vendor = rc.ID, q.Owner, n, imm, key, 0
		wc.Op, wc.Status, wc.Flags = op, status, flags
		e.back = rc.Back
		q.RecvCQ.commit(locked)
	} else {
		q.RQ.Lose()
	}
	deferred.wake(q.RecvCQ, flags)
}

// Refusal is the cause of a connection's end on the side that has refused an operation of its peer.
func Refusal(op hca.Op, status hca.Status, why string, cause error) *hca.Error {
	e := hca.Wrap(hca.Broken, "connection", "", why, cause)
	e.Refused, e.Status = op, status
	return e
}

func WorkError(op hca.Op, status hca.Status) *hca.Error {
	return &hca.Error{Op: op.String(), Code: hca.Work, Status: status}
}

// Completed completes a request that was carried out at once and is counted, and leaves tx. If it returns true, other
// goroutines have marked the gate: the caller is still inside and does their work.
func (q *QP) Completed(id, n uint64, op hca.Op, flags hca.Flags) (again bool) {
	q.recordSent(id, op, n)
	if flags&hca.Suppress != 0 {
		q.Tx.Uncount(1)
	} else {
		q.entered(id, n, op, hca.StatusOK, flags)
	}
	if q.Tx.Leave() {
		return true
	}
	if flags&(hca.Suppress|hca.Quiet) == 0 {
		q.SendCQ.Wake()
	}
	return false
}

// WakeFor notes the entry made by Completed, for a caller that is still inside.
func (f *Deferred) WakeFor(q *QP, flags hca.Flags) {
	if flags&hca.Suppress == 0 {
		f.wake(q.SendCQ, flags)
	}
}

// NothingBefore reports whether a request may be carried out before it is queued, because no other request is
// before it. The caller is inside tx.
func (q *QP) NothingBefore() bool {
	return q.SQ.Empty() && !q.Reporting && q.Inboxed.Load() == 0 && q.State.Load() == StateReady
}

// Retire completes the oldest done requests, in order. The transport has all requests before sent. Retire stops
// at a request that failed: the connection is then over, and the flush completes that request and all later
// ones, some of which may be done too.
func (q *QP) Retire(sent uint64, deferred *Deferred) {
	for q.SQ.Head != q.SQ.Next {
		r := q.SQ.At(q.SQ.Head)
		switch {
		case r.Done && r.Status != hca.StatusOK:
			return
		case r.Done:
		case !ops.HasResponse(r.WR.Op) && q.SQ.Head < sent:
			r.Status = hca.StatusOK
		default:
			return
		}
		q.Complete(&r.WR, r.Total, r.Status, deferred)
		q.SQ.Head++
	}
}
