package core

// Values of armed. A value greater than telling counts the entries that arrived while the consumer was being
// notified.
const (
	notArmed = iota
	isArmed
	telling
)

// lateEntries is how many entries may arrive while a goroutine notifies the consumer. The next entry notifies
// it again: that goroutine may have lost its processor, and a consumer that serves other queues must not
// overlook this one until it is full.
const lateEntries = 4

// Wake notifies the consumer if it has armed the queue. The caller is inside no gate.
func (c *CQ) Wake() {
	if c.armed.Load() != notArmed {
		c.wakeArmed()
	}
}

func (c *CQ) wakeArmed() {
	for {
		switch s := c.armed.Load(); {
		case s == notArmed:
			return
		case s == isArmed:
			if c.armed.CompareAndSwap(s, telling) {
				c.wakeConsumer()
				for s = c.armed.Load(); s >= telling && !c.armed.CompareAndSwap(s, notArmed); s = c.armed.Load() {
				}
				return
			}
		case s < telling+lateEntries:
			if c.armed.CompareAndSwap(s, s+1) {
				return
			}
		case c.armed.CompareAndSwap(s, telling):
			// A consumer in Poll is not called, and needs no second notification: the first one still comes.
			if c.polling.Load() == pollNone {
				c.tell()
			}
			return
		}
	}
}

// wakeConsumer notifies the consumer. A consumer that is in Poll finds the entry there, and is not called during
// Poll.
func (c *CQ) wakeConsumer() {
	for {
		switch c.polling.Load() {
		case pollNone:
			c.tell()
			return
		case pollBusy:
			if c.polling.CompareAndSwap(pollBusy, pollAgain) {
				return
			}
		default:
			return
		}
	}
}

// Values of polling: whether the consumer is in Poll, and whether an entry arrived meanwhile.
const (
	pollNone = iota
	pollBusy
	pollAgain
)
