package soft

import (
	"fmt"

	"github.com/godapl/godapl/internal/hca"
)

// runTx does what there is to do on the send side, or leaves word for whoever
// is at it.
func (q *qp) runTx() {
	if t := q.transport(); t != nil {
		t.runSend()
	} else {
		q.runAlone()
	}
}

// leave lets go of tx for who was inside for another reason than to send, and then has
// done what others have left word for.
func (q *qp) leave() {
	marked := false
	for q.tx.leave() {
		marked = true
	}
	if marked {
		q.runTx()
	}
}

// runAlone is runTx for a queue pair that is not connected: it flushes what was posted
// behind its end.
func (q *qp) runAlone() {
	if !q.tx.enter() {
		return
	}
	var af after
	for again := true; again; again = q.tx.leave() {
		if q.transport() == nil && q.sendTurn() == turnOver && q.flushable() {
			q.flushSend(&af)
			if !q.flush.recv {
				q.flush.recv = true
				q.flushRecv(&receive{}, false, &af)
			}
		}
	}
	af.finish()
	if t := q.transport(); t != nil {
		t.runSend() // it is connected by now, and what was left word for is its
	}
}

// What the sending half has to do.
type sendTurn uint8

const (
	turnNone sendTurn = iota
	turnSend          // start and complete requests
	turnOver          // flush
)

// sendTurn begins a turn of the sending half. The caller is inside tx.
func (q *qp) sendTurn() sendTurn {
	q.empty()
	switch q.state.Load() {
	case stOver:
		return turnOver
	case stReady, stClosing:
		if !q.held {
			return turnSend
		}
	}
	return turnNone
}

// flushable tells whether the send side can be flushed now. If it cannot, it is asked again
// when it can. The caller is inside tx, and the state is over.
func (q *qp) flushable() bool {
	if q.held {
		return false // established has yet to be reported
	}
	if !q.bindsOver() {
		q.a.engine.schedule(q)
		return false
	}
	return true
}

// complete ends a request: with an entry, unless it succeeded and none was
// asked for.
func (q *qp) complete(wr *hca.SendWR, n uint64, status hca.Status, af *after) {
	flags := wr.Flags
	if status == hca.StatusOK {
		if flags&hca.Suppress != 0 {
			q.tx.uncount(1)
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
	af.wake(q.scq, flags)
}

// entered makes the entry of a request. The caller is inside tx.
func (q *qp) entered(id, n uint64, op hca.Op, status hca.Status, flags hca.Flags) {
	c := q.scq
	if c.shared.Load() {
		if e, locked := c.begin(); e != nil {
			q.enter(e, id, n, op, status, flags)
			c.commit(locked)
		}
		return
	}
	// The same without the calls: this is the queue that one send side fills.
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
	storeRelease(&r.tail, t+1)
}

// enter fills an entry in. With it the request's slot is free.
func (q *qp) enter(e *entry, id, n uint64, op hca.Op, status hca.Status, flags hca.Flags) {
	wc := &e.wc
	wc.ID, wc.Owner, wc.Len, wc.Imm, wc.RKey, wc.Vendor = id, q.owner, n, 0, 0, 0
	wc.Op, wc.Status, wc.Flags = op, status, flags
	e.back = &q.tx.back
	storeRelease(&q.tx.made, q.tx.made.Load()+1)
}

// received completes a receive of q.
func (q *qp) received(rc *receive, op hca.Op, status hca.Status, n uint64, imm uint32, key hca.Key, solicited bool, af *after) {
	flags := rc.flags
	switch {
	case status != hca.StatusOK:
		flags &^= hca.Quiet
		n = 0
	case q.cfg.SolicitQuiet && !solicited:
		flags |= hca.Quiet
	}
	if e, locked := q.rcq.begin(); e != nil {
		wc := &e.wc
		wc.ID, wc.Owner, wc.Len, wc.Imm, wc.RKey, wc.Vendor = rc.id, q.owner, n, imm, key, 0
		wc.Op, wc.Status, wc.Flags = op, status, flags
		e.back = rc.back
		q.rcq.commit(locked)
	}
	af.wake(q.rcq, flags)
}

func workError(op hca.Op, status hca.Status) *hca.Error {
	return &hca.Error{Op: op.String(), Code: hca.Work, Status: status}
}

// Dump is all that what the queue pair does next can depend on, for tests that compare states.
func (q *qp) Dump() string {
	return fmt.Sprint(q.state.Load(), q.tx.word.Load(), q.sq.head, q.sq.next, q.sq.tail, q.flush, q.left.Load())
}

// queued, claim and run make a queue pair a runner of the engine.
func (q *qp) queued() bool { return q.mark.CompareAndSwap(false, true) }
func (q *qp) claim()       { q.mark.Store(false) }
func (q *qp) schedule()    { q.a.engine.schedule(q) }
func (q *qp) run() bool    { q.runTx(); return false }

// polledBy tells whether the completions of a queue pair go to a queue.
func (q *qp) polledBy(c *consumer) bool {
	return c == &q.scq.consumer || c == &q.rcq.consumer
}

func (q *qp) concerns(c *consumer) bool {
	if q.polledBy(c) {
		return true
	}
	t := q.transport()
	return t != nil && t.concerns(c)
}

// completed ends a request that was carried out at once, and leaves tx. If it reports true,
// others have left word: the caller is inside still, and goes on behind.
func (q *qp) completed(id, n uint64, op hca.Op, flags hca.Flags) (again bool) {
	if flags&hca.Suppress != 0 {
		q.tx.uncount(1)
	} else {
		q.entered(id, n, op, hca.StatusOK, flags)
	}
	if q.tx.leave() {
		return true
	}
	if flags&(hca.Suppress|hca.Quiet) == 0 {
		q.scq.wake()
	}
	return false
}

// wakeFor notes the entry of completed, for a caller that goes on.
func (f *after) wakeFor(q *qp, flags hca.Flags) {
	if flags&hca.Suppress == 0 {
		f.wake(q.scq, flags)
	}
}

// clear tells whether a request may be carried out before it is queued: nothing
// is before it. The caller is inside tx.
func (q *qp) clear() bool {
	return q.sq.empty() && !q.held && q.inboxed.Load() == 0 && q.state.Load() == stReady
}

// answered tells the operations that end when the peer has answered from those
// that end when the transport has their octets.
func answered(op hca.Op) bool {
	return op == hca.OpRead || op == hca.OpFetchAdd || op == hca.OpCompareSwap
}

// retire completes the oldest requests that are done, in order. Those before
// sent are with the transport. It stops at a request that failed: the connection
// is over, and the flush completes that request and all behind it, of which some
// may be done, too.
func (q *qp) retire(sent uint64, af *after) {
	for q.sq.head != q.sq.next {
		r := q.sq.at(q.sq.head)
		switch {
		case r.done && r.status != hca.StatusOK:
			return
		case r.done:
		case !answered(r.wr.Op) && q.sq.head < sent:
			r.status = hca.StatusOK
		default:
			return
		}
		q.complete(&r.wr, r.total, r.status, af)
		q.sq.head++
	}
}
