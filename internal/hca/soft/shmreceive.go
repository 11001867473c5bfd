package soft

import (
	"github.com/godapl/godapl/internal/hca"
)

// shmReceiver is the receiving half: the peer's requests in, answers out. It is
// guarded by the rx gate.
type shmReceiver struct {
	requests inRing
	answers  outRing

	// The message that is coming in, or the receive for a write's immediate data.
	cur   receive
	curOn bool
	stall stall

	off     uint64 // octets of the request in hand, or of the message, so far
	kind    uint8  // of the request that has begun with more than one frame; 0: none
	total   uint64
	key     uint32
	addr    uint64
	placed  bool // the frame in hand's octets are where they belong
	kick    bool // the peer has something new
	polls   bool // it is a consumer that looks, and nobody has left word for it
	later   bool // its last look has left the sending half to the next
	closed  bool // nothing is looked at any more
	flushed bool // the receives have been flushed
	views   viewCache
	list    pullList
}

// A turn ends with so many frames handled, or so many bytes of them, whichever is first.
const (
	shmTurn  = 256
	shmBytes = shmTurn * shmChunk
)

// releaseMost is how many frames are handled at most before the peer gets their slots
// back.
const releaseMost = 32

// readOn handles what there is, leaves rx, and has the sending half run if there is
// something for it.
func (c *shmConn) readOn() (more bool) {
	var af after
	back := false
	for marks := 0; ; marks++ {
		more = c.pumpRx(&af)
		back = c.lookBack() || back // behind the bell
		c.in.polls = false          // who leaves word had reason to: it is for both halves
		again := c.rx.leave()
		for again && (more || marks == rxMarks) {
			more = true // the caller comes back, in another turn, and looks then
			again = c.rx.leave()
		}
		if !again {
			break
		}
	}
	if back || c.q.state.Load() == stOver {
		c.runSend()
	}
	af.finish()
	return more
}

// lookBack is back for who has just handled what there was.
func (c *shmConn) lookBack() bool {
	in := &c.in
	if in.later = c.putOff() && !in.later; in.later {
		return false
	}
	return c.back()
}

// putOff tells whether the words that both sides write about each other's requests can
// wait for the next look. A consumer had better not fetch the one that the peer has just
// written, nor take the other one away from it, before the program has its message. It
// comes again, or the watch does. Nobody else may come again: who was woken, or is about
// to sleep, puts nothing off.
func (c *shmConn) putOff() bool { return c.in.polls && c.watched.Load() }

// pumpRx reports whether it stopped for having done enough.
func (c *shmConn) pumpRx(af *after) bool {
	in := &c.in
	if c.q.state.Load() == stOver {
		c.pumpRxOver(af)
		return false
	}
	if in.closed {
		return false
	}
	more := false
	n, moved := 0, uint64(0)
	for ; ; n++ {
		if n == shmTurn || moved >= shmBytes {
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
		if out == failed {
			return false
		}
		if out == unfinished {
			more = true
			break
		}
		if out == waiting {
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
		if in.requests.untold() == releaseMost {
			in.requests.release()
		}
		in.kick = in.kick || in.requests.f.flags&flTell != 0
	}
	if in.kick || n == 0 || in.requests.untold() >= silentMost || !c.putOff() {
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
func (c *shmConn) rest() bool {
	if c.polled.Load() {
		c.leaveToPoller()
		return false
	}
	c.m.bell.Arm()
	if c.in.requests.c.Ready() || c.m.verdict[1].Load() != 0 || c.hung.Load() {
		c.m.bell.Disarm()
		return true
	}
	return false
}

// leaveToPoller leaves what comes next to the consumer that polls, and has the watch look
// whether it goes on. As long as the bell is armed, which it is from the consumer's last
// sleep on until something comes, the bell tells: who polls once and sleeps again
// needs no watch, and no clock.
func (c *shmConn) leaveToPoller() {
	if !c.m.bell.Armed() {
		c.a.bg.watch(c)
	}
}

// restWaiting is rest for a frame in hand that waits: for a receive, which will
// have this half run again, or for room among the answers. What has come behind
// it does not matter now.
func (c *shmConn) restWaiting() bool {
	polled := c.polled.Load()
	if polled {
		c.leaveToPoller()
	} else {
		c.m.bell.Arm()
	}
	before := c.in.answers.acked
	again := c.m.verdict[1].Load() != 0 || c.hung.Load() || c.in.answers.collect() != nil || c.in.answers.acked != before
	if again && !polled {
		c.m.bell.Disarm()
	}
	return again
}

// over looks whether the peer has ended the connection, or died.
func (c *shmConn) over(af *after) bool {
	if v := c.m.verdict[1].Load(); v != 0 {
		raceRecv()
		kind, err := verdictError(v)
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
func (c *shmConn) pumpRxOver(af *after) {
	in := &c.in
	if in.flushed {
		return
	}
	in.closed, in.flushed = true, true
	in.stall.clear()
	c.tell()
	on := in.curOn
	in.curOn = false
	c.q.flushRecv(&in.cur, on, af)
}

// receivePosted goes on with a message that waited for a receive. It leaves that to the next
// poll of the queue, if there will be one. Who arms goes on there themselves, and so does the
// watch.
func (c *shmConn) receivePosted() {
	if c.q.rcq.fetches() {
		c.a.bg.watch(c)
		if c.q.rcq.fetches() {
			return
		}
	}
	c.arm()
}
