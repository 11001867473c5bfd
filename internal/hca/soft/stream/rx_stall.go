package stream

import "github.com/godapl/godapl/internal/hca/soft/core"

// A message that found no receive waits in the stream for one. Whoever posts it polls as
// a rule, and finds the message with the next poll. To have the engine fetch it at the
// same time would be two goroutines in each other's way, for each batch of receives of a
// sender that is faster than the receiver: ten times slower, where there are no more
// processors than these two and the sender.
//
// As with what a sender gathers, only a consumer that is there is waited for. One that
// arms its queue has the engine go on, and so has the watch if there was no poll from one
// of its rounds to the next.

// ReceivePosted goes on with a message that waited for a receive.
func (c *Conn) ReceivePosted() { c.moreCame(c.q.RecvCQ) }

// moreCame goes on with what can be gone on with: such a message, or what a turn has left.
// It leaves that to the next poll of the queue, if there will be one.
func (c *Conn) moreCame(to *core.CQ) {
	if to.WillPoll() {
		c.came.Store(true)
		c.a.Background.Watch(c)
		if to.WillPoll() { // who arms says so first and then looks whether something came
			return
		}
	}
	c.Schedule()
}
