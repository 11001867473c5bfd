package sharedmem

import (
	"github.com/godapl/godapl/internal/hca"
	"github.com/godapl/godapl/internal/hca/soft/core"
	"github.com/godapl/godapl/internal/hca/soft/progress"
)

// receiver is the receive half: it handles the peer's requests and sends responses. The rx gate guards it.
type receiver struct {
	requests inRing
	answers  outRing

	// The receive of the current message, or of a write's immediate data.
	cur   core.Receive
	curOn bool
	stall progress.WaitTimer

	off         uint64 // bytes handled so far of the current request or message
	kind        uint8  // of the current request of several frames; 0: none
	total       uint64
	key         uint32
	addr        uint64
	placed      bool // the current frame's bytes are in their place
	kick        bool // something new is published: ring the peer's bell
	byConsumer  bool // a consumer runs this half, and nobody has marked the gate
	ackDeferred bool // its last poll has deferred the send half's work to the next
	closed      bool // no frame is handled any more
	flushed     bool // the receives have been flushed
	views       rkeyCache
	list        pullList
}

// One run of the receive half ends after this number of frames or of bytes.
const (
	turnFrames = 256
	turnBytes  = turnFrames * chunkSize
)

// releaseMost is the largest number of handled frames whose slots are not yet released to the peer.
const releaseMost = 32

// readOn handles the available frames, leaves rx, and runs the send half if that has work.
func (c *Conn) readOn() (more bool) {
	var af core.Deferred
	back := false
	for marks := 0; ; marks++ {
		more = c.pumpRx(&af)
		back = c.lookBack() || back // after the bell is armed
		c.in.byConsumer = false     // a mark was left for a reason that concerns both halves
		again := c.rx.Leave()
		for again && (more || marks == core.RxMarks) {
			more = true // the caller schedules another run, which looks again
			again = c.rx.Leave()
		}
		if !again {
			break
		}
	}
	if back || c.q.State.Load() == core.StateOver {
		c.RunSend()
	}
	af.Finish()
	return more
}

// lookBack is back after the available frames have been handled.
func (c *Conn) lookBack() bool {
	in := &c.in
	if in.ackDeferred = c.deferAck() && !in.ackDeferred; in.ackDeferred {
		return false
	}
	return c.back()
}

// deferAck reports whether reading and writing the acknowledgement counters may wait until the next poll.
// Touching those shared cache lines now would delay delivery. Only a polling consumer may defer: it polls
// again, or the poll watch does. A goroutine that was woken or is about to sleep must not.
func (c *Conn) deferAck() bool { return c.in.byConsumer && c.Watched.Load() }

// pumpRx reports whether it stopped because its budget is used up.
func (c *Conn) pumpRx(af *core.Deferred) bool {
	in := &c.in
	if c.q.State.Load() == core.StateOver {
		c.pumpRxOver(af)
		return false
	}
	if in.closed {
		return false
	}
	more := false
	n, moved := 0, uint64(0)
	for ; ; n++ {
		if n == turnFrames || moved >= turnBytes {
			more = true
			break
		}
		ok, err := in.requests.next()
		if err != nil {
			c.corrupt(err, af)
			return false
		}
		if !ok {
			if c.over(af) {
				return false
			}
			if c.rest() {
				continue
			}
			break
		}
		out := c.handle(&in.requests.f, af)
		if out == core.Failed {
			return false
		}
		if out == core.Unfinished {
			more = true
			break
		}
		if out == core.MustWait {
			if c.over(af) {
				return false
			}
			if c.restWaiting() {
				continue
			}
			break
		}
		in.placed = false
		moved += in.requests.f.moves()
		in.requests.done()
		if in.requests.unreleased() == releaseMost {
			in.requests.release()
		}
		in.kick = in.kick || in.requests.f.flags&flagAck != 0
	}
	if in.kick || n == 0 || in.requests.unreleased() >= unackedMost || !c.deferAck() {
		in.requests.release()
	}
	if in.kick {
		in.kick = false
		c.ring()
	}
	return more
}

// rest makes sure that somebody notices the next frame. It reports whether one has arrived already.
func (c *Conn) rest() bool {
	if c.Polled.Load() {
		c.leaveToPoller()
		return false
	}
	c.m.bell.Arm()
	if c.in.requests.c.Ready() || c.m.closeStatus[1].Load() != 0 || c.hung.Load() {
		c.m.bell.Disarm()
		return true
	}
	return false
}

// leaveToPoller leaves the next frame to the consumer that polls, and lets the poll watch check that it keeps
// polling. The bell stays armed from the consumer's last sleep until something arrives; as long as it is armed,
// it reports the arrival. So a consumer that polls once and sleeps again needs no watch and no timer.
func (c *Conn) leaveToPoller() {
	if !c.m.bell.Armed() {
		c.a.Background.Watch(c)
	}
}

// restWaiting is rest for a current frame that waits: for a receive, whose post runs this half again, or for
// room among the responses. Frames behind it do not matter yet.
func (c *Conn) restWaiting() bool {
	polled := c.Polled.Load()
	if polled {
		c.leaveToPoller()
	} else {
		c.m.bell.Arm()
	}
	before := c.in.answers.acked
	again := c.m.closeStatus[1].Load() != 0 || c.hung.Load() || c.in.answers.collect() != nil || c.in.answers.acked != before
	if again && !polled {
		c.m.bell.Disarm()
	}
	return again
}

// over checks whether the peer has ended the connection or died.
func (c *Conn) over(af *core.Deferred) bool {
	if v := c.m.closeStatus[1].Load(); v != 0 {
		core.RaceRecv()
		kind, err := closeStatusError(v)
		c.fail(kind, err, 0, af)
		return true
	}
	if c.hung.Load() {
		c.fail(hca.EventBroken, errPeerGone, 0, af)
		return true
	}
	return false
}

// pumpRxOver flushes the receives once, and tells the peer.
func (c *Conn) pumpRxOver(af *core.Deferred) {
	in := &c.in
	if in.flushed {
		return
	}
	in.closed, in.flushed = true, true
	in.stall.Clear()
	c.tellCloseStatus()
	on := in.curOn
	in.curOn = false
	c.q.FlushRecv(&in.cur, on, af)
}

// ReceivePosted continues a message that waited for a receive. It leaves that to the consumer's next poll, if
// one is expected: arming the queue continues it as well, and so does the poll watch.
func (c *Conn) ReceivePosted() {
	if c.q.RecvCQ.WillPoll() {
		c.a.Background.Watch(c)
		if c.q.RecvCQ.WillPoll() {
			return
		}
	}
	c.Arm()
}
