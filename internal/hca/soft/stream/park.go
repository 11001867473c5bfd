package stream

import (
	"github.com/godapl/godapl/internal/hca/park"
	"github.com/godapl/godapl/internal/hca/soft/core"
)

// parkable is a wire whose input may be left to a consumer that waits for it.
type parkable interface {
	// park disarms input until unpark, and returns the descriptor; -1 if the stream is gone. Unless p is nil,
	// the descriptor is in p from here on, until input is armed or the consumer polls steadily.
	park(p *park.Park) (fd int)
	// unpark allows input to be armed again.
	unpark()
}

// Park implements core.Parkable. A connection whose input nobody can take now is not parked: the consumer would
// not sleep. Nor is one that another queue has parked already.
func (c *Conn) Park(queue *core.CQ, p *park.Park) (fd int) {
	w, ok := c.w.(parkable)
	if !ok {
		return -1
	}
	if !c.started.Load() || c.stalled.Load() || c.q.State.Load() != core.StateReady {
		c.Unpark(queue)
		return -1
	}
	if c.parker.Load() != queue && !c.parker.CompareAndSwap(nil, queue) {
		return -1
	}
	if fd = w.park(p); fd < 0 {
		c.parker.Store(nil)
	} else if !c.parks.Load() {
		c.parks.Store(true)
	}
	return fd
}

// Unpark implements core.Parkable. The consumer will probably be back soon, so the socket stays out of the
// adapter's poller, as after a poll; unless another consumer waits for what may arrive.
func (c *Conn) Unpark(queue *core.CQ) {
	if c.parker.Load() != queue {
		return
	}
	c.w.(parkable).unpark()
	c.parker.Store(nil)
	c.a.Background.Unparked(c, c.q.Sleeps())
	if c.Polled.Load() {
		c.q.NotePolled(c, &c.polledNoted)
	}
}

// Arrived implements core.Parkable. Like event, it polls for more for a while after a large piece. It reads until
// nothing is left, unless the consumer is to look at its queue: an end of the stream that came together with the
// last bytes would not wake the consumer once more.
func (c *Conn) Arrived(p *park.Park) {
	bulk := false
	for tries := 0; ; tries++ {
		before := c.bytesRead.Load()
		more, inside := c.readWrite()
		got := c.bytesRead.Load() - before
		bulk = bulk || got >= bulkPiece
		switch {
		case more:
			c.Schedule()
			return
		case !inside:
			return // the goroutine inside the gate reads on
		case c.stalled.Load():
			c.Arm() // for the end of the stream
			return
		case p.Kicked(), got == 0 && (!bulk || tries >= bulkTries):
			c.emptied.Store(got > 0)
			return
		}
	}
}

// unmarkParked notes that nobody is expected to park the connection again.
func (c *Conn) unmarkParked() {
	if c.parks.Load() && c.parker.Load() == nil {
		c.parks.Store(false)
	}
}
