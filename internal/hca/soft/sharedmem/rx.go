package sharedmem

import (
	"github.com/godapl/godapl/internal/hca"
	"github.com/godapl/godapl/internal/hca/soft/core"
	"github.com/godapl/godapl/internal/hca/soft/progress"
)

// receiver is the receiving half: the peer's requests in, answers out. It is
// guarded by the rx gate.
type receiver struct {
	requests inRing
	answers  outRing

	// The message that is coming in, or the receive for a write's immediate data.
	cur   core.Receive
	curOn bool
	stall progress.WaitTimer

	off         uint64 // bytes of the request in hand, or of the message, so far
	kind        uint8  // of the request that has begun with more than one frame; 0: none
	total       uint64
	key         uint32
	addr        uint64
	placed      bool // the frame in hand's bytes are where they belong
	kick        bool // the peer has something new
	byConsumer  bool // it is a consumer that looks, and nobody has left word for it
	ackDeferred bool // its last look has left the sending half to the next
	closed      bool // nothing is looked at any more
	flushed     bool // the receives have been flushed
	views       rkeyCache
	list        pullList
}

// A turn ends with so many frames handled, or so many bytes of them, whichever is first.
const (
	turnFrames = 256
	turnBytes  = turnFrames * chunkSize
)

// releaseMost is how many frames are handled at most before the peer gets their slots
// back.
const releaseMost = 32

// readOn handles what there is, leaves rx, and has the sending half run if there is
// something for it.
func (c *Conn) readOn() (more bool) {
	var af core.Deferred
	back := false
	for marks := 0; ; marks++ {
		more = c.pumpRx(&af)
		back = c.lookBack() || back // behind the bell
		c.in.byConsumer = false     // who leaves word had reason to: it is for both halves
		again := c.rx.Leave()
		for again && (more || marks == core.RxMarks) {
			more = true // the caller comes back, in another turn, and looks then
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

// lookBack is back for who has just handled what there was.
func (c *Conn) lookBack() bool {
	in := &c.in
	if in.ackDeferred = c.deferAck() && !in.ackDeferred; in.ackDeferred {
		return false
	}
	return c.back()
}

// deferAck tells whether the words that both sides write about each other's requests can
// wait for the next look. A consumer had better not fetch the one that the peer has just
// written, nor take the other one away from it, before the program has its message. It
// comes again, or the watch does. Nobody else may come again: who was woken, or is about
// to sleep, puts nothing off.
func (c *Conn) deferAck() bool { return c.in.byConsumer && c.Watched.Load() }

// pumpRx reports whether it stopped for having done enough.
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

// rest sees to it that somebody notices what comes next. It reports whether
// something has come already.
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

// leaveToPoller leaves what comes next to the consumer that polls, and has the watch look
// whether it goes on. As long as the bell is armed, which it is from the consumer's last
// sleep on until something comes, the bell tells: who polls once and sleeps again
// needs no watch, and no clock.
func (c *Conn) leaveToPoller() {
	if !c.m.bell.Armed() {
		c.a.Background.Watch(c)
	}
}

// restWaiting is rest for a frame in hand that waits: for a receive, which will
// have this half run again, or for room among the answers. What has come behind
// it does not matter now.
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

// over looks whether the peer has ended the connection, or died.
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

// pumpRxOver flushes the receives, once, and tells the peer.
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

// ReceivePosted goes on with a message that waited for a receive. It leaves that to the next
// poll of the queue, if there will be one. Who arms goes on there themselves, and so does the
// watch.
func (c *Conn) ReceivePosted() {
	if c.q.RecvCQ.WillPoll() {
		c.a.Background.Watch(c)
		if c.q.RecvCQ.WillPoll() {
			return
		}
	}
	c.Arm()
}
