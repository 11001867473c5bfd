package sharedmem

import (
	"github.com/godapl/godapl/internal/hca"
	"github.com/godapl/godapl/internal/hca/soft/core"
	"github.com/godapl/godapl/internal/hca/soft/gate"
)

// sender is the sending half: requests out, answers in. It is guarded by the
// queue pair's tx gate.
//
// A request is done when the peer has handled its last frame, which the head of
// the ring tells, or with the last byte of its answer.
type sender struct {
	requests  outRing
	answers   inRing
	mark      uint64 // requests before this one in the queue have been looked at
	kick      bool   // the peer has something new
	closed    bool   // nothing goes out any more
	failed    bool   // an answer had no place, and none behind it has
	asking    int    // requests that the peer answers
	unacked   int    // frames since the last one with flagAck
	ackWanted bool   // the end of those is waited for, by what comes behind without a frame
	views     rkeyCache
	last      lastTransfer
}

// What became of a request that was to be started.
type step uint8

const (
	stepNext   step = iota // all of it is with the peer, or it is done
	stepWait               // something will run the queue pair again
	stepBudget             // there is more to do, but not now
	stepFailed             // and the connection with it
)

// RunSend does what there is to do on the sending half, or leaves word for whoever is at it.
func (c *Conn) RunSend() {
	if !c.q.Tx.Enter() {
		return
	}
	var af core.Deferred
	c.pump(&af)
	c.leave(&af)
}

// leave lets go of tx, doing first what others have left word for, and then
// what may only be done outside.
func (c *Conn) leave(af *core.Deferred) {
	for c.q.Tx.Leave() {
		c.pump(af)
	}
	af.Finish()
}

// pump starts and completes requests as far as a bounded amount of work goes.
// The caller is inside tx.
func (c *Conn) pump(af *core.Deferred) {
	switch c.q.SendTurn() {
	case core.TurnSend:
		c.pumpTx(af)
	case core.TurnOver:
		c.flush(af)
	}
}

// pumpTx sends what there is to send and completes what is done. The caller is
// inside tx.
func (c *Conn) pumpTx(af *core.Deferred) {
	q, o := c.q, &c.out
	budget := core.TurnSize
	if q.SQ.Next != q.SQ.Tail {
		c.opened(openMore)
	}
	if c.readAcks(af) {
		c.markAcked() // first: who waits for what is done by now is not run again for it
		q.Retire(0, af)
	loop:
		for q.SQ.Next != q.SQ.Tail && !o.closed && q.State.Load() != core.StateOver {
			r := q.SQ.At(q.SQ.Next)
			switch c.startNext(r, &budget, af) {
			case stepNext:
				o.ackWanted = o.ackWanted || o.unacked > 0 && r.WR.Flags&hca.Suppress == 0
				q.SQ.Next++
				if q.SQ.Next == q.SQ.Head+1 { // nothing before it
					c.markAcked()
					q.Retire(0, af)
				}
			case stepBudget:
				q.Adapter.Engine.Schedule(q)
				break loop
			case stepWait:
				o.ackWanted = o.ackWanted || o.unacked > 0 && !r.Begun // it may be those that it waits for
				break loop
			default:
				break loop
			}
		}
	}
	c.markAcked()
	q.Retire(0, af)
	c.reopen()
	c.requestAck()
	if q.State.Load() == core.StateClosing && q.Inboxed.Load() == 0 && q.SQ.Empty() {
		q.MarkOver(hca.EventDisconnected, nil)
	}
	if o.kick {
		o.kick = false
		c.ring()
	}
	if q.State.Load() == core.StateOver {
		c.flush(af)
	}
}

// requestAck asks for the word on what the peer was not asked to tell of, if somebody
// waits for that or no more requests come. It is no part of a message, so not in one.
func (c *Conn) requestAck() {
	q, o := c.q, &c.out
	all := q.SQ.Next == q.SQ.Tail
	o.ackWanted = o.ackWanted && o.requests.acked != o.requests.sent
	awaited := o.ackWanted || all && q.State.Load() == core.StateClosing
	if o.unacked > 0 && awaited && !q.SQ.Empty() && (all || !q.SQ.At(q.SQ.Next).Begun) {
		c.startAckRequest()
	}
}

// ring wakes the peer if it sleeps. The caller is inside a gate, and has
// published what there is to see.
func (c *Conn) ring() {
	if !c.gone {
		c.m.theirs.Ring(c.peer.bell)
	}
}

// opened says in open, before anything is published, that the peer's answer is to be
// looked for: see arm.
func (c *Conn) opened(how uint64) {
	if c.open.Load() < how {
		gate.StoreRelease(&c.open, how)
	}
}

// reopen brings open up to date.
func (c *Conn) reopen() {
	q, open := c.q, uint64(openMore)
	switch {
	case q.SQ.Head == q.SQ.Tail:
		open = openNone
	case q.SQ.Next == q.SQ.Tail && c.out.asking == 0 && !c.out.answers.held:
		open = openSent
	}
	if c.open.Load() != open {
		gate.StoreRelease(&c.open, open)
	}
}

// markAcked marks the requests whose frames the peer has handled.
func (c *Conn) markAcked() {
	q, o := c.q, &c.out
	if o.mark < q.SQ.Head {
		o.mark = q.SQ.Head
	}
	for ; o.mark != q.SQ.Next; o.mark++ {
		r := q.SQ.At(o.mark)
		if r.Frame > o.requests.acked {
			return
		}
		if !core.HasResponse(r.WR.Op) && !r.Done {
			r.Done, r.Status = true, hca.StatusOK
		}
	}
}

// readAcks takes answers and acknowledgements. It reports false if the peer has
// sent what makes no sense.
func (c *Conn) readAcks(af *core.Deferred) bool {
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
func (c *Conn) answer(f *frame, af *core.Deferred) error {
	q, o := c.q, &c.out
	var r *core.SendReq
	for i := q.SQ.Head; i != q.SQ.Next; i++ {
		if x := q.SQ.At(i); core.HasResponse(x.WR.Op) && x.Begun && !x.Done {
			r = x
			break
		}
	}
	if r == nil {
		return errAnswer
	}
	switch {
	case f.kind == frameValue && r.WR.Op != hca.OpRead:
		to, frail, fault := core.SegmentAt(q, q.PD, r.WR.Local, r.WR.More, 0, 8, hca.LocalWrite)
		if fault == core.FaultNone && len(to) == 8 {
			if at := core.TryPut(to, f.a, frail); at != 0 {
				q.Faulted(at, r.WR.Op.String())
				fault = core.FaultPage
			}
		}
		if fault != core.FaultNone || len(to) != 8 {
			c.failAnswered(r, af)
			return nil
		}
		o.asking--
		r.Done, r.Status = true, hca.StatusOK
		return nil
	case f.kind != frameData || r.WR.Op != hca.OpRead:
		return errAnswer
	}
	octets := f.octets(o.answers.bulk)
	last := f.flags&flagLast != 0
	if octets == nil || uint64(f.n) > r.Total-r.Off || last != (r.Off+uint64(f.n) == r.Total) {
		return errAnswer
	}
	for len(octets) > 0 {
		to, frail, fault := core.SegmentAt(q, q.PD, r.WR.Local, r.WR.More, r.Off, uint64(len(octets)), hca.LocalWrite)
		n := 0
		if fault == core.FaultNone {
			var at uint64
			if n, at = core.TryPiece(to, octets, frail); at != 0 {
				q.Faulted(at, r.WR.Op.String())
				fault = core.FaultPage
			}
		}
		if fault != core.FaultNone {
			c.failAnswered(r, af)
			return nil
		}
		octets = octets[n:]
		r.Off += uint64(n)
	}
	if last {
		o.asking--
		r.Done, r.Status = true, hca.StatusOK
	}
	return nil
}

// failed ends a request of ours, and the connection with it.
func (c *Conn) failed(r *core.SendReq, status hca.Status, af *core.Deferred) step {
	r.Done, r.Status = true, status
	c.q.BreakNow(core.WorkError(r.WR.Op, status))
	c.a.Engine.Do(c.finishRx)
	return stepFailed
}

// failAnswered fails a request whose answer has no place any more. The peer carries requests
// out in order, so it has handled those before, though its word on that may come later.
func (c *Conn) failAnswered(r *core.SendReq, af *core.Deferred) {
	q := c.q
	c.out.failed = true
	for i := q.SQ.Head; q.SQ.At(i) != r; i++ {
		if x := q.SQ.At(i); !x.Done {
			x.Done, x.Status = true, hca.StatusOK
		}
	}
	c.failed(r, hca.StatusLocalProtection, af)
}

// refuseOwn fails a request once everything before it is done.
func (c *Conn) refuseOwn(r *core.SendReq, status hca.Status, af *core.Deferred) step {
	if c.q.SQ.Head != c.q.SQ.Next {
		c.markAcked()
		c.q.Retire(0, af)
		if c.q.SQ.Head != c.q.SQ.Next {
			return stepWait
		}
	}
	return c.failed(r, status, af)
}
