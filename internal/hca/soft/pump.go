package soft

import "github.com/godapl/godapl/internal/hca"

// runTx does what there is to do on the send side, or leaves word for whoever
// is at it.
func (q *qp) runTx() {
	if !q.tx.enter() {
		return
	}
	var af after
	q.pump(&af)
	q.leave(&af)
}

// leave lets go of tx, doing first what others have left word for, and then
// what may only be done outside.
func (q *qp) leave(af *after) {
	for q.tx.leave() {
		q.pump(af)
	}
	if af.n > 0 || af.run != nil || af.ended != nil {
		af.do()
	}
}

// pump starts and completes requests as far as a bounded amount of work goes.
// The caller is inside tx.
func (q *qp) pump(af *after) {
	q.empty()
	switch q.state.Load() {
	case stOver:
		q.pumpOver(af)
		return
	case stReady, stClosing:
	default:
		return
	}
	if q.held {
		return
	}
	if c := q.conn.Load(); c != nil {
		c.pumpTx(af)
		return
	}
	if c := q.shm.Load(); c != nil {
		c.pumpTx(af)
		return
	}
	budget := turnSize
	for q.sq.head != q.sq.tail {
		r := q.sq.at(q.sq.head)
		status, ok := q.loopRun(r, &budget, af)
		if !ok {
			if budget <= 0 {
				q.a.engine.schedule(q) // the rest is not the caller's
			}
			return
		}
		q.sq.head++
		q.sq.next = q.sq.head
		q.complete(&r.wr, r.total, status, af)
		if status != hca.StatusOK {
			q.breakNow(workError(r.wr.Op, status), af)
			q.pumpOver(af)
			return
		}
	}
	// What was posted before the disconnect may be in the inbox still.
	if q.state.Load() == stClosing && q.inboxed.Load() == 0 {
		q.markOver(hca.EventDisconnected, nil)
		if p := q.peer.Load(); p != nil {
			p.markOver(hca.EventDisconnected, peerError(hca.EventDisconnected, nil))
			af.run = p
		}
		q.pumpOver(af)
	}
}

// pumpOver flushes what is this gate's to flush: the send side, and the
// receives of the in-process peer, or its own if there never was a peer.
func (q *qp) pumpOver(af *after) {
	if q.held {
		return // established has yet to be reported
	}
	if !q.bindsOver() {
		q.a.engine.schedule(q)
		return
	}
	if c := q.conn.Load(); c != nil {
		if !c.settled() {
			return
		}
		c.beforeFlush()
	} else if c := q.shm.Load(); c != nil {
		c.beforeFlush(af)
	}
	if q.apart.Load() && !q.sq.empty() {
		q.scq.shareBut(q)
	}
	at(q, "flush")
	q.flushSend(af)
	if c := q.remote(); c != nil {
		c.overTx()
		return
	}
	if q.flush.recv {
		return
	}
	to := q
	if p := q.peer.Load(); p != nil {
		to = p
	}
	if to.state.Load() != stOver {
		return
	}
	q.flush.recv = true
	q.stall.clear()
	on := q.curOn
	q.curOn = false
	to.flushRecv(&q.cur, on, af)
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

// queued, claim and run make a queue pair a runner of the engine.
func (q *qp) queued() bool { return q.mark.CompareAndSwap(false, true) }
func (q *qp) claim()       { q.mark.Store(false) }
func (q *qp) schedule()    { q.a.engine.schedule(q) }
func (q *qp) run() bool    { q.runTx(); return false }

// polledBy tells whether the completions of a queue pair go to a queue.
func (q *qp) polledBy(c *cq) bool { return q.scq == c || q.rcq == c }

// concerns tells the same, also of the peer in the process.
func (q *qp) concerns(c *cq) bool {
	if q.polledBy(c) {
		return true
	}
	p := q.peer.Load()
	return p != nil && p.polledBy(c)
}

func (c *tcpConn) concerns(to *cq) bool { return c.q.polledBy(to) }
func (c *shmConn) concerns(to *cq) bool { return c.q.polledBy(to) }
