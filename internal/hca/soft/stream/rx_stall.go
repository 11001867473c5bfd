package stream

import "github.com/godapl/godapl/internal/hca/soft/core"

// A message that finds no receive waits in the stream. A goroutine that posts the receive usually polls as
// well, and finds the message with its next poll. If the engine fetched it at the same time, the two goroutines
// would disturb each other for each batch of receives, where the sender is faster than the receiver: ten times
// slower, where no more processors exist than for these two and the sender.
//
// Leave the message to the consumer only while it polls. If it arms the queue, or does not poll for one
// interval of the watch (1 ms), the engine continues the message.

// ReceivePosted continues a message that waited for a receive.
func (c *Conn) ReceivePosted() { c.resume(c.q.RecvCQ) }

// resume continues what was left: such a message, or bytes beyond a run's budget. It leaves that to the
// consumer's next poll, if one is expected.
func (c *Conn) resume(to *core.CQ) {
	if to.WillPoll() {
		c.resumable.Store(true)
		c.a.Background.Watch(c)
		if to.WillPoll() { // a consumer that arms stops being expected first, and then checks resumable
			return
		}
	}
	c.Schedule()
}
