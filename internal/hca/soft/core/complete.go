package core

import (
	"fmt"

	"github.com/godapl/godapl/internal/hca"
	"github.com/godapl/godapl/internal/hca/soft/gate"
)

// Complete completes a request. It makes an entry, unless the request succeeded and asked for none.
func (q *QP) Complete(wr *hca.SendWR, n uint64, status hca.Status, af *Deferred) {
	flags := wr.Flags
	if status == hca.StatusOK {
		if flags&hca.Suppress != 0 {
			q.Tx.Uncount(1)
			return
		}
		if wr.Op == hca.OpBind {
			n = wr.Bind.Len
		}
	} else {
		flags &^= hca.Quiet
		n = 0
	}
	q.entered(wr.ID, n, wr.Op, status, flags)
	af.wake(q.SendCQ, flags)
}

// entered makes the entry of a request. The caller is inside tx.
func (q *QP) entered(id, n uint64, op hca.Op, status hca.Status, flags hca.Flags) {
	c := q.SendCQ
	if c.shared.Load() {
		if e, locked := c.begin(); e != nil {
			q.enter(e, id, n, op, status, flags)
			c.commit(locked)
		}
		return
	}
	// The same without the calls: only this send half fills the queue.
	r := c.tailRing
	t := r.tail.Load()
	if t-r.seen >= r.most && c.full(r, t) {
		if r = c.grow(r); r == nil {
			c.overflow()
			return
		}
		t = 0
	}
	q.enter(&r.slots[t&r.mask], id, n, op, status, flags)
	gate.StoreRelease(&r.tail, t+1)
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
func (q *QP) Received(rc *Receive, op hca.Op, status hca.Status, n uint64, imm uint32, key hca.Key, solicited bool, af *Deferred) {
	flags := rc.Flags
	switch {
	case status != hca.StatusOK:
		flags &^= hca.Quiet
		n = 0
	case q.Config.SolicitQuiet && !solicited:
		flags |= hca.Quiet
	}
	if e, locked := q.RecvCQ.begin(); e != nil {
		wc := &e.wc
		wc.ID, wc.Owner, wc.Len, wc.Imm, wc.RKey, wc.Vendor = rc.ID, q.Owner, n, imm, key, 0
		wc.Op, wc.Status, wc.Flags = op, status, flags
		e.back = rc.Back
		q.RecvCQ.commit(locked)
	}
	af.wake(q.RecvCQ, flags)
}

func WorkError(op hca.Op, status hca.Status) *hca.Error {
	return &hca.Error{Op: op.String(), Code: hca.Work, Status: status}
}

// Dump lists all state on which the queue pair's next actions can depend, for tests that compare states.
func (q *QP) Dump() string {
	return fmt.Sprint(q.State.Load(), q.Tx.Word.Load(), q.SQ.Head, q.SQ.Next, q.SQ.Tail, q.Flush, q.left.Load())
}

// Completed completes a request that was carried out at once, and leaves tx. If it returns true, other
// goroutines have marked the gate: the caller is still inside and does their work.
func (q *QP) Completed(id, n uint64, op hca.Op, flags hca.Flags) (again bool) {
	if flags&hca.Suppress != 0 {
		q.Tx.Uncount(1)
	} else {
		q.entered(id, n, op, hca.StatusOK, flags)
	}
	if q.Tx.Leave() {
		return true
	}
	if flags&(hca.Suppress|hca.Quiet) == 0 {
		q.SendCQ.wake()
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

// HasResponse reports whether an operation completes with the peer's response; others complete when the
// transport has their bytes.
func HasResponse(op hca.Op) bool {
	return op == hca.OpRead || op == hca.OpFetchAdd || op == hca.OpCompareSwap
}

// Retire completes the oldest done requests, in order. The transport has all requests before sent. Retire stops
// at a request that failed: the connection is then over, and the flush completes that request and all later
// ones, some of which may be done too.
func (q *QP) Retire(sent uint64, af *Deferred) {
	for q.SQ.Head != q.SQ.Next {
		r := q.SQ.At(q.SQ.Head)
		switch {
		case r.Done && r.Status != hca.StatusOK:
			return
		case r.Done:
		case !HasResponse(r.WR.Op) && q.SQ.Head < sent:
			r.Status = hca.StatusOK
		default:
			return
		}
		q.Complete(&r.WR, r.Total, r.Status, af)
		q.SQ.Head++
	}
}
