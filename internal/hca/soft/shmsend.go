package soft

import (
	"github.com/godapl/godapl/internal/hca"
)

// shmSender is the sending half: requests out, answers in. It is guarded by the
// queue pair's tx gate.
//
// A request is done when the peer has handled its last frame, which the head of
// the ring tells, or with the last octet of its answer.
type shmSender struct {
	requests outRing
	answers  inRing
	mark     uint64 // requests before this one in the queue have been looked at
	kick     bool   // the peer has something new
	closed   bool   // nothing goes out any more
	failed   bool   // an answer had no place, and none behind it has
	asking   int    // requests that the peer answers
	silent   int    // frames since the last one with flTell
	owing    bool   // the end of those is waited for, by what comes behind without a frame
	views    viewCache
	last     lastReach
}

// What became of a request that was to be started.
type step uint8

const (
	stepNext   step = iota // all of it is with the peer, or it is done
	stepWait               // something will run the queue pair again
	stepBudget             // there is more to do, but not now
	stepFailed             // and the connection with it
)

// runSend does what there is to do on the sending half, or leaves word for whoever is at it.
func (c *shmConn) runSend() {
	if !c.q.tx.enter() {
		return
	}
	var af after
	c.pump(&af)
	c.leave(&af)
}

// leave lets go of tx, doing first what others have left word for, and then
// what may only be done outside.
func (c *shmConn) leave(af *after) {
	for c.q.tx.leave() {
		c.pump(af)
	}
	af.finish()
}

// pump starts and completes requests as far as a bounded amount of work goes.
// The caller is inside tx.
func (c *shmConn) pump(af *after) {
	switch c.q.sendTurn() {
	case turnSend:
		c.pumpTx(af)
	case turnOver:
		c.flush(af)
	}
}

// pumpTx sends what there is to send and completes what is done. The caller is
// inside tx.
func (c *shmConn) pumpTx(af *after) {
	q, o := c.q, &c.out
	budget := turnSize
	if q.sq.next != q.sq.tail {
		c.opened(openMore)
	}
	if c.collect(af) {
		c.settle() // first: who waits for what is done by now is not run again for it
		q.retire(0, af)
	loop:
		for q.sq.next != q.sq.tail && !o.closed && q.state.Load() != stOver {
			r := q.sq.at(q.sq.next)
			switch c.startNext(r, &budget, af) {
			case stepNext:
				o.owing = o.owing || o.silent > 0 && r.wr.Flags&hca.Suppress == 0
				q.sq.next++
				if q.sq.next == q.sq.head+1 { // nothing before it
					c.settle()
					q.retire(0, af)
				}
			case stepBudget:
				q.a.engine.schedule(q)
				break loop
			case stepWait:
				o.owing = o.owing || o.silent > 0 && !r.begun // it may be those that it waits for
				break loop
			default:
				break loop
			}
		}
	}
	c.settle()
	q.retire(0, af)
	c.reopen()
	c.breakSilence()
	if q.state.Load() == stClosing && q.inboxed.Load() == 0 && q.sq.empty() {
		q.markOver(hca.EventDisconnected, nil)
	}
	if o.kick {
		o.kick = false
		c.ring()
	}
	if q.state.Load() == stOver {
		c.flush(af)
	}
}

// breakSilence asks for the word on what the peer was not asked to tell of, if somebody
// waits for that or no more requests come. It is no part of a message, so not in one.
func (c *shmConn) breakSilence() {
	q, o := c.q, &c.out
	all := q.sq.next == q.sq.tail
	o.owing = o.owing && o.requests.acked != o.requests.sent
	awaited := o.owing || all && q.state.Load() == stClosing
	if o.silent > 0 && awaited && !q.sq.empty() && (all || !q.sq.at(q.sq.next).begun) {
		c.startNothing()
	}
}

// ring wakes the peer if it sleeps. The caller is inside a gate, and has
// published what there is to see.
func (c *shmConn) ring() {
	if !c.gone {
		c.m.theirs.Ring(c.peer.bell)
	}
}

// opened says in open, before anything is published, that the peer's answer is to be
// looked for: see arm.
func (c *shmConn) opened(how uint64) {
	if c.open.Load() < how {
		storeRelease(&c.open, how)
	}
}

// reopen brings open up to date.
func (c *shmConn) reopen() {
	q, open := c.q, uint64(openMore)
	switch {
	case q.sq.head == q.sq.tail:
		open = openNone
	case q.sq.next == q.sq.tail && c.out.asking == 0 && !c.out.answers.held:
		open = openSent
	}
	if c.open.Load() != open {
		storeRelease(&c.open, open)
	}
}

// settle marks the requests whose frames the peer has handled.
func (c *shmConn) settle() {
	q, o := c.q, &c.out
	if o.mark < q.sq.head {
		o.mark = q.sq.head
	}
	for ; o.mark != q.sq.next; o.mark++ {
		r := q.sq.at(o.mark)
		if r.frame > o.requests.acked {
			return
		}
		if !answered(r.wr.Op) && !r.done {
			r.done, r.status = true, hca.StatusOK
		}
	}
}

// collect takes answers and acknowledgements. It reports false if the peer has
// sent what makes no sense.
func (c *shmConn) collect(af *after) bool {
	o := &c.out
	if c.gone || o.closed || c.bad.Load() {
		return false
	}
	for !o.failed {
		ok, err := o.answers.next()
		if err != nil {
			return c.corrupt(err, af)
		}
		if !ok {
			break
		}
		if why := c.answer(&o.answers.f, af); why != nil {
			return c.corrupt(why, af)
		}
		o.answers.done()
		o.answers.release()
		o.kick = true // it may wait for room
	}
	if err := o.requests.collect(); err != nil {
		return c.corrupt(err, af)
	}
	return true
}

// answer places the answer to the oldest read or atomic.
func (c *shmConn) answer(f *frame, af *after) error {
	q, o := c.q, &c.out
	var r *sendReq
	for i := q.sq.head; i != q.sq.next; i++ {
		if x := q.sq.at(i); answered(x.wr.Op) && x.begun && !x.done {
			r = x
			break
		}
	}
	if r == nil {
		return errAnswer
	}
	switch {
	case f.kind == frValue && r.wr.Op != hca.OpRead:
		to, frail, fault := scatter(q, q.pd, r.wr.Local, r.wr.More, 0, 8, hca.LocalWrite)
		if fault == faultNone && len(to) == 8 {
			if at := tryPut(to, f.a, frail); at != 0 {
				q.faulted(at, r.wr.Op.String())
				fault = faultPage
			}
		}
		if fault != faultNone || len(to) != 8 {
			c.failAnswered(r, af)
			return nil
		}
		o.asking--
		r.done, r.status = true, hca.StatusOK
		return nil
	case f.kind != frData || r.wr.Op != hca.OpRead:
		return errAnswer
	}
	octets := f.octets(o.answers.bulk)
	last := f.flags&flLast != 0
	if octets == nil || uint64(f.n) > r.total-r.off || last != (r.off+uint64(f.n) == r.total) {
		return errAnswer
	}
	for len(octets) > 0 {
		to, frail, fault := scatter(q, q.pd, r.wr.Local, r.wr.More, r.off, uint64(len(octets)), hca.LocalWrite)
		n := 0
		if fault == faultNone {
			var at uint64
			if n, at = tryPiece(to, octets, frail); at != 0 {
				q.faulted(at, r.wr.Op.String())
				fault = faultPage
			}
		}
		if fault != faultNone {
			c.failAnswered(r, af)
			return nil
		}
		octets = octets[n:]
		r.off += uint64(n)
	}
	if last {
		o.asking--
		r.done, r.status = true, hca.StatusOK
	}
	return nil
}

// failed ends a request of ours, and the connection with it.
func (c *shmConn) failed(r *sendReq, status hca.Status, af *after) step {
	r.done, r.status = true, status
	c.q.breakNow(workError(r.wr.Op, status))
	c.a.engine.do(c.finishRx)
	return stepFailed
}

// failAnswered fails a request whose answer has no place any more. The peer carries requests
// out in order, so it has handled those before, though its word on that may come later.
func (c *shmConn) failAnswered(r *sendReq, af *after) {
	q := c.q
	c.out.failed = true
	for i := q.sq.head; q.sq.at(i) != r; i++ {
		if x := q.sq.at(i); !x.done {
			x.done, x.status = true, hca.StatusOK
		}
	}
	c.failed(r, hca.StatusLocalProtection, af)
}

// refuseOwn fails a request once everything before it is done.
func (c *shmConn) refuseOwn(r *sendReq, status hca.Status, af *after) step {
	if c.q.sq.head != c.q.sq.next {
		c.settle()
		c.q.retire(0, af)
		if c.q.sq.head != c.q.sq.next {
			return stepWait
		}
	}
	return c.failed(r, status, af)
}
