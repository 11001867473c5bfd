package sharedmem

import (
	"github.com/godapl/godapl/internal/hca"
	"github.com/godapl/godapl/internal/hca/soft/core"
	"github.com/godapl/godapl/internal/hca/soft/progress"
	"github.com/godapl/godapl/internal/hca/soft/rawmem"
	"github.com/godapl/godapl/internal/hca/soft/recvhalf"
	"github.com/godapl/godapl/internal/shm"
)

// receiver is the receive half: it handles the peer's requests and sends responses. The rx gate guards it.
type receiver struct {
	requests inRing
	answers  outRing

	// The receive of the current message, or of a write's immediate data.
	recvhalf.Message

	off         uint64 // bytes handled so far of the current request or message
	kind        uint8  // of the current request of several frames; 0: none
	total       uint64
	key         uint32
	addr        uint64
	placed      bool // the current frame's bytes are in their place
	ringPeer    bool // something new is published: ring the peer's doorbell
	byConsumer  bool // a consumer runs this half, and nobody has marked the gate
	ackDeferred bool // its last poll has deferred the send half's work to the next
	closed      bool // no frame is handled any more
	flushed     bool // the receives have been flushed
	rearmed     bool // the doorbell was armed for a sleeper while another consumer polls: see mayLeave
	rkeys       rkeyCache
	list        describedList
	tries       int // to fetch a piece whose key the sender was changing each time
	later       progress.WaitTimer
}

// One run of the receive half ends after this number of frames or of bytes.
const (
	runFrames = 256
	runBytes  = runFrames * chunkSize
)

// releaseMost is the largest number of handled frames whose slots are not yet released to the peer.
const releaseMost = 32

// finishRecv handles the available frames, leaves rx, and runs the send half if that has work.
func (c *Conn) finishRecv() (more bool) {
	var deferred core.Deferred
	back := false
	for marks := 0; ; marks++ {
		more = c.pumpRx(&deferred)
		back = c.checkSends() || back // after the doorbell is armed
		c.in.byConsumer = false       // a mark was left for a reason that concerns both halves
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
	deferred.Finish()
	return more
}

// checkSends is sendHasWork after the available frames have been handled.
func (c *Conn) checkSends() bool {
	in := &c.in
	if in.ackDeferred = c.deferAck() && !in.ackDeferred; in.ackDeferred {
		return false
	}
	return c.sendHasWork()
}

// deferAck reports whether reading and writing the acknowledgement counters may wait until the next poll.
// Touching those shared cache lines now would delay delivery. Only a polling consumer may defer: it polls
// again, or the poll watch does. A goroutine that was woken or is about to sleep must not.
func (c *Conn) deferAck() bool { return c.in.byConsumer && c.Watched.Load() }

// pumpRx reports whether it stopped because its budget is used up.
func (c *Conn) pumpRx(deferred *core.Deferred) bool {
	in := &c.in
	if c.q.State.Load() == core.StateOver {
		c.pumpRxOver(deferred)
		return false
	}
	if in.closed {
		return false
	}
	c.unrest()
	more, ack := false, false
	n, moved := 0, uint64(0)
	for ; ; n++ {
		if n == runFrames || moved >= runBytes {
			more = true
			break
		}
		ok, err := in.requests.next()
		if err != nil {
			c.corrupt(err, deferred)
			return false
		}
		if !ok {
			if c.peerEnded(deferred) {
				return false
			}
			if c.armRecv() {
				continue
			}
			break
		}
		out := c.handle(&in.requests.f, deferred)
		if out == core.Failed {
			return false
		}
		if out == core.Unfinished {
			more = true
			break
		}
		if out == core.MustWait {
			if c.peerEnded(deferred) {
				return false
			}
			if c.armRecvWaiting(deferred) {
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
		ack = ack || in.requests.f.flags&flagAck != 0
		in.ringPeer = in.ringPeer || in.requests.f.flags&flagWake != 0
	}
	if ack || in.ringPeer || n == 0 || in.requests.unreleased() >= unackedMost || !c.deferAck() {
		in.requests.release()
	}
	if in.ringPeer {
		in.ringPeer = false
		c.ring()
	}
	return more
}

// armRecv makes sure that the next frame is noticed. It reports whether one has arrived already.
func (c *Conn) armRecv() bool {
	if c.mayLeave() {
		c.leaveToPoller()
		return false
	}
	c.armDoorbell()
	if c.in.requests.c.Ready() || c.m.closeStatus[1].Load() != 0 || c.hungUp.Load() {
		c.m.doorbell.Disarm()
		c.unrest()
		return true
	}
	return false
}

// mayLeave reports whether the next frame may be left to a consumer that polls one queue of the connection. If a consumer
// sleeps at the other queue, the first consumer may be about to stop polling, and the signal may be older than that sleep.
// So the doorbell is armed once more for each sleep. The caller is inside rx.
func (c *Conn) mayLeave() bool {
	switch in := &c.in; {
	case c.group.Grouped:
		return true
	case !c.Polled.Load():
		in.rearmed = false
		return false
	case in.byConsumer || in.rearmed || !c.q.Sleeps():
		return true
	default:
		in.rearmed = true
		return false
	}
}

// armDoorbell arms the doorbell. The caller looks once more after that.
func (c *Conn) armDoorbell() {
	for range 2 { // again if a consumer has left its park meanwhile: it may sleep at the board next, and not look
		if c.parker.Load() == nil && c.group.InCrowd() {
			c.m.doorbell.ArmFor(shm.ByBoard)
		} else {
			c.watchDoorbell()
			c.m.doorbell.Arm()
		}
		if c.in.rearmed {
			return // the next sleep comes by here
		}
		if c.rest(); c.reports() {
			return
		}
		c.unrest()
	}
}

// leaveToPoller leaves the next frame to the consumer that polls, and lets the poll watch check that it keeps
// polling. The doorbell stays armed from the consumer's last sleep until something arrives. As long as it is armed, and
// somebody hears it, it reports the arrival. So a consumer that polls once and sleeps again needs no watch and no timer.
func (c *Conn) leaveToPoller() {
	if !c.reports() {
		c.a.Background.Watch(c)
	}
}

// reports says that the doorbell is armed, and in the adapter's poller or watched by a consumer that sleeps. A group or a board
// sees to that by itself.
func (c *Conn) reports() bool {
	how := c.m.doorbell.ArmedFor()
	return c.group.Grouped || how == shm.ByBoard || how != shm.Awake && (!c.bellUnwatched.Load() || c.parker.Load() != nil)
}

// armRecvWaiting is armRecv for a current frame that waits: for a receive, whose post runs this half again, or for
// room among the responses. Frames behind it do not matter yet.
func (c *Conn) armRecvWaiting(deferred *core.Deferred) bool {
	left := c.mayLeave()
	if left {
		c.leaveToPoller()
	} else {
		c.armDoorbell()
	}
	before := c.in.answers.acked
	if err := c.in.answers.collect(); err != nil {
		return c.corrupt(err, deferred)
	}
	again := c.m.closeStatus[1].Load() != 0 || c.hungUp.Load() || c.in.answers.acked != before
	if again && !left {
		c.m.doorbell.Disarm()
		c.unrest()
	}
	return again
}

// peerEnded checks whether the peer has ended the connection or died.
func (c *Conn) peerEnded(deferred *core.Deferred) bool {
	if v := c.m.closeStatus[1].Load(); v != 0 {
		rawmem.RaceRecv()
		kind, err := closeStatusError(v)
		c.fail(kind, err, 0, deferred)
		return true
	}
	if c.hungUp.Load() {
		c.fail(hca.EventBroken, errPeerGone, 0, deferred)
		return true
	}
	return false
}

// pumpRxOver flushes the receives once, and tells the peer.
func (c *Conn) pumpRxOver(deferred *core.Deferred) {
	in := &c.in
	if in.flushed {
		return
	}
	in.closed, in.flushed = true, true
	in.later.Clear()
	c.tellCloseStatus()
	in.Flush(c.q, deferred)
}

// ReceivePosted continues a message that waited for a receive. It leaves that to the consumer's next poll, if
// one is expected: arming the queue continues it as well, and so does the poll watch. If the connection goes to rest
// at this very moment, only the watch does.
func (c *Conn) ReceivePosted() {
	if !c.group.Grouped && c.q.RecvCQ.WillPoll() {
		c.a.Background.Watch(c)
		c.unrest() // a consumer that arms stops being expected first, and then checks resting
		if c.q.RecvCQ.WillPoll() {
			return
		}
	}
	c.Arm()
}
