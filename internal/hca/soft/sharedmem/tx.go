package sharedmem

import (
	"github.com/godapl/godapl/internal/hca"
	"github.com/godapl/godapl/internal/hca/ops"
	"github.com/godapl/godapl/internal/hca/soft/core"
	"github.com/godapl/godapl/internal/hca/soft/gate"
	"github.com/godapl/godapl/internal/hca/soft/rawmem"
	"github.com/godapl/godapl/internal/shm"
)

// sender is the send half: it sends requests and takes responses. The queue pair's gate Tx guards it.
//
// A request is complete when the peer has handled its last frame, which the head of the ring tells, or when the
// last byte of its response is placed.
type sender struct {
	requests  outRing
	answers   inRing
	mark      uint64 // requests before this one have been checked for acknowledgements
	ringPeer  bool   // something new is published: ring the peer's doorbell
	closed    bool   // nothing is sent any more
	failed    bool   // a response could not be placed; all later ones are dropped
	asking    int    // requests that await a response
	stalledAt uint64 // one more than acked when the ring was full; 0: the peer has handled something since
	unacked   int    // frames since the last one with flagAck
	unwoken   int    // frames since the last one with flagWake; one in the bulk area counts as several
	ackWanted bool   // a later request that is carried out without a frame waits for their acknowledgement
	rkeys     rkeyCache
}

// The result of starting a request.
type step uint8

const (
	stepNext   step = iota // the peer has all of it, or it is complete
	stepWait               // some event will run the queue pair again
	stepBudget             // there is more to do, in a later run
	stepFailed             // the request failed, and the connection with it
)

// Pump implements sendhalf.Path.
func (c *Conn) Pump(deferred *core.Deferred) {
	q, o := c.q, &c.out
	budget := rawmem.RunSize
	if q.SQ.Next != q.SQ.Tail {
		c.opened(openMore)
	}
	if c.readAcks(deferred) {
		if at := o.stalledAt; at != 0 && at != o.requests.acked+1 {
			o.stalledAt = 0
			q.StallEnds()
		}
		c.markAcked() // first, so that a completed request causes no acknowledgement request
		q.Retire(0, deferred)
	loop:
		for q.SQ.Next != q.SQ.Tail && !o.closed && q.State.Load() != core.StateOver {
			r := q.SQ.At(q.SQ.Next)
			switch c.startNext(r, &budget, deferred) {
			case stepNext:
				o.ackWanted = o.ackWanted || o.unwoken > 0 && r.WR.Flags&(hca.Suppress|hca.Quiet) == 0
				q.SQ.Next++
				if q.SQ.Next == q.SQ.Head+1 { // nothing before it
					c.markAcked()
					q.Retire(0, deferred)
				}
			case stepBudget:
				q.Adapter.Engine.Schedule(q)
				break loop
			case stepWait:
				o.ackWanted = o.ackWanted || o.unwoken > 0 && !r.Begun // it may wait for their acknowledgement
				break loop
			default:
				break loop
			}
		}
	}
	c.markAcked()
	q.Retire(0, deferred)
	c.reopen()
	c.requestAck()
	if q.State.Load() == core.StateClosing && q.Inboxed.Load() == 0 && q.SQ.Empty() {
		q.MarkOver(hca.EventDisconnected, nil)
	}
	if o.ringPeer {
		o.ringPeer = false
		c.ring()
	}
	if q.State.Load() == core.StateOver {
		c.Flush(deferred)
	}
}

// requestAck requests to be woken by the acknowledgement of frames that were sent without flagWake, if a request waits for it or
// no more requests follow. It is never sent in the middle of a message.
func (c *Conn) requestAck() {
	q, o := c.q, &c.out
	all := q.SQ.Next == q.SQ.Tail
	o.ackWanted = o.ackWanted && o.requests.acked != o.requests.sent
	awaited := o.ackWanted || all && q.State.Load() == core.StateClosing
	if o.unwoken > 0 && awaited && !q.SQ.Empty() && (all || !q.SQ.At(q.SQ.Next).Begun) {
		c.startAckRequest()
	}
}

// ring wakes the peer if it sleeps. The caller is inside a gate and has published its frames.
func (c *Conn) ring() {
	if c.gone || c.group.Ring() {
		return
	}
	if how := c.m.peerDoorbell.Take(); how == shm.Awake || how == shm.ByBoard && c.group.RingBoard() {
		return
	}
	_ = shm.Signal(c.peer.doorbell)
	c.stirred()
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
		if !ops.HasResponse(r.WR.Op) && !r.Done {
			r.Done, r.Status = true, hca.StatusOK
		}
	}
}

// readAcks takes responses and acknowledgements. It returns false if the peer has sent an invalid one.
func (c *Conn) readAcks(deferred *core.Deferred) bool {
	o := &c.out
	if c.gone || o.closed || c.bad.Load() {
		return false
	}
	for !o.failed {
		ok, err := o.answers.next()
		if err != nil {
			return c.corrupt(err, deferred)
		}
		if !ok {
			break
		}
		if why := c.answer(&o.answers.f, deferred); why != nil {
			return c.corrupt(why, deferred)
		}
		o.answers.done()
		o.answers.release()
		o.ringPeer = true // the peer may wait for room
	}
	if err := o.requests.collect(); err != nil {
		return c.corrupt(err, deferred)
	}
	return true
}

// answer places the response of the oldest read or atomic.
func (c *Conn) answer(f *frame, deferred *core.Deferred) error {
	q, o := c.q, &c.out
	var r *core.SendReq
	for i := q.SQ.Head; i != q.SQ.Next; i++ {
		if x := q.SQ.At(i); ops.HasResponse(x.WR.Op) && x.Begun && !x.Done {
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
			if at := rawmem.TryPut(to, f.a, frail); at != 0 {
				q.Faulted(at, r.WR.Op.String())
				fault = core.FaultPage
			}
		}
		if fault != core.FaultNone || len(to) != 8 {
			c.failAnswered(r, deferred)
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
	if f.n == 0 && !last { // without end: the gate is held as long as responses come
		return errAnswer
	}
	if !q.Scatter(r.WR.Local, r.WR.More, r.Off, data, r.WR.Op) {
		c.failAnswered(r, deferred)
		return nil
	}
	r.Off += uint64(len(data))
	if last {
		o.asking--
		r.Done, r.Status = true, hca.StatusOK
	}
	return nil
}

// failed fails a request of this side, and the connection with it.
func (c *Conn) failed(r *core.SendReq, status hca.Status, deferred *core.Deferred) step {
	r.Done, r.Status = true, status
	c.q.BreakNow(core.WorkError(r.WR.Op, status))
	c.a.Engine.Do(c.finishRx)
	return stepFailed
}

// failAnswered fails a request whose response cannot be placed. The peer carries requests out in order, so it
// has handled all earlier ones, even if their acknowledgement arrives later.
func (c *Conn) failAnswered(r *core.SendReq, deferred *core.Deferred) {
	q := c.q
	c.out.failed = true
	for i := q.SQ.Head; q.SQ.At(i) != r; i++ {
		if x := q.SQ.At(i); !x.Done {
			x.Done, x.Status = true, hca.StatusOK
		}
	}
	c.failed(r, hca.StatusLocalProtection, deferred)
}

// refuseOwn fails a request once everything before it is done.
func (c *Conn) refuseOwn(r *core.SendReq, status hca.Status, deferred *core.Deferred) step {
	if c.q.SQ.Head != c.q.SQ.Next {
		c.markAcked()
		c.q.Retire(0, deferred)
		if c.q.SQ.Head != c.q.SQ.Next {
			return stepWait
		}
	}
	return c.failed(r, status, deferred)
}
