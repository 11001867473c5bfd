package sharedmem

import (
	"github.com/godapl/godapl/internal/hca"
	"github.com/godapl/godapl/internal/hca/soft/core"
	"github.com/godapl/godapl/internal/hca/soft/gate"
)

// sender is the send half: it sends requests and takes responses. The queue pair's gate Tx guards it.
//
// A request is complete when the peer has handled its last frame, which the head of the ring tells, or when the
// last byte of its response is placed.
type sender struct {
	requests  outRing
	answers   inRing
	mark      uint64 // requests before this one have been checked for acknowledgements
	kick      bool   // something new is published: ring the peer's bell
	closed    bool   // nothing is sent any more
	failed    bool   // a response could not be placed; all later ones are dropped
	asking    int    // requests that await a response
	unacked   int    // frames since the last one with flagAck
	ackWanted bool   // a later request that is carried out without a frame waits for their acknowledgement
	views     rkeyCache
	last      lastTransfer
}

// The result of starting a request.
type step uint8

const (
	stepNext   step = iota // the peer has all of it, or it is complete
	stepWait               // some event will run the queue pair again
	stepBudget             // there is more to do, in a later run
	stepFailed             // the request failed, and the connection with it
)

// RunSend runs the send half, or marks the gate for the goroutine inside.
func (c *Conn) RunSend() {
	if !c.q.Tx.Enter() {
		return
	}
	var af core.Deferred
	c.pump(&af)
	c.leave(&af)
}

// leave leaves tx. Before, it does the work that others have marked; after, what may only be done outside.
func (c *Conn) leave(af *core.Deferred) {
	for c.q.Tx.Leave() {
		c.pump(af)
	}
	af.Finish()
}

// pump starts and completes requests, within a bounded amount of work. The caller is inside tx.
func (c *Conn) pump(af *core.Deferred) {
	switch c.q.SendTurn() {
	case core.TurnSend:
		c.pumpTx(af)
	case core.TurnOver:
		c.flush(af)
	}
}

// pumpTx sends what can be sent and completes what is done. The caller is inside tx.
func (c *Conn) pumpTx(af *core.Deferred) {
	q, o := c.q, &c.out
	budget := core.TurnSize
	if q.SQ.Next != q.SQ.Tail {
		c.opened(openMore)
	}
	if c.readAcks(af) {
		c.markAcked() // first, so that a completed request causes no acknowledgement request
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
				o.ackWanted = o.ackWanted || o.unacked > 0 && !r.Begun // it may wait for their acknowledgement
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

// requestAck requests an acknowledgement of frames that were sent without flagAck, if a request waits for it or
// no more requests follow. It is never sent in the middle of a message.
func (c *Conn) requestAck() {
	q, o := c.q, &c.out
	all := q.SQ.Next == q.SQ.Tail
	o.ackWanted = o.ackWanted && o.requests.acked != o.requests.sent
	awaited := o.ackWanted || all && q.State.Load() == core.StateClosing
	if o.unacked > 0 && awaited && !q.SQ.Empty() && (all || !q.SQ.At(q.SQ.Next).Begun) {
		c.startAckRequest()
	}
}

// ring wakes the peer if it sleeps. The caller is inside a gate and has published its frames.
func (c *Conn) ring() {
	if !c.gone {
		c.m.theirs.Ring(c.peer.bell)
	}
}

// opened notes in open that the peer's response must be polled for; the caller does so before it publishes
// anything. See Arm.
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

// readAcks takes responses and acknowledgements. It returns false if the peer has sent an invalid one.
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
		o.kick = true // the peer may wait for room
	}
	if err := o.requests.collect(); err != nil {
		return c.corrupt(err, af)
	}
	return true
}

// answer places the response of the oldest read or atomic.
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
	data := f.payload(o.answers.bulk)
	last := f.flags&flagLast != 0
	if data == nil || uint64(f.n) > r.Total-r.Off || last != (r.Off+uint64(f.n) == r.Total) {
		return errAnswer
	}
	for len(data) > 0 {
		to, frail, fault := core.SegmentAt(q, q.PD, r.WR.Local, r.WR.More, r.Off, uint64(len(data)), hca.LocalWrite)
		n := 0
		if fault == core.FaultNone {
			var at uint64
			if n, at = core.TryPiece(to, data, frail); at != 0 {
				q.Faulted(at, r.WR.Op.String())
				fault = core.FaultPage
			}
		}
		if fault != core.FaultNone {
			c.failAnswered(r, af)
			return nil
		}
		data = data[n:]
		r.Off += uint64(n)
	}
	if last {
		o.asking--
		r.Done, r.Status = true, hca.StatusOK
	}
	return nil
}

// failed fails a request of this side, and the connection with it.
func (c *Conn) failed(r *core.SendReq, status hca.Status, af *core.Deferred) step {
	r.Done, r.Status = true, status
	c.q.BreakNow(core.WorkError(r.WR.Op, status))
	c.a.Engine.Do(c.finishRx)
	return stepFailed
}

// failAnswered fails a request whose response cannot be placed. The peer carries requests out in order, so it
// has handled all earlier ones, even if their acknowledgement arrives later.
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
