package core

import (
	"github.com/godapl/godapl/internal/hca"
	"github.com/godapl/godapl/internal/hca/soft/conns"
	"github.com/godapl/godapl/internal/hca/soft/gate"
)

func (c *CQ) Poll(dst []hca.WC) (n int) {
	if c.conns.Load() != nil { // only connections read the count
		gate.StoreRelease(&c.PollCount, c.PollCount.Load()+1)
		if c.coalescing.Some() {
			c.look(false)
		}
	}
	if !c.empty() {
		n = c.take(dst)
	}
	if n > 0 || len(dst) == 0 {
		return n
	}
	// The queue is empty: drive progress, and look again.
	if c.armedUnpolled.Load() || c.armed.Load() != notArmed {
		return c.none(c.pollArmed(dst))
	}
	if c.progress(&dst[0]) {
		n = 1
		bump(&c.counts.direct, 1)
	}
	if !c.empty() {
		n += c.take(dst[n:])
	}
	return c.none(n)
}

// pollArmed continues a poll of an empty queue that is armed or was.
func (c *CQ) pollArmed(dst []hca.WC) (n int) {
	if c.armedUnpolled.Load() {
		// This is the poll after arming. Arming has started progress, and the sockets report what arrives.
		// Reading them here would cost one system call each.
		c.armedUnpolled.Store(false)
		return 0
	}
	c.polling.Store(pollBusy)
	c.progress(nil)
	for {
		n += c.take(dst[n:])
		if c.polling.CompareAndSwap(pollBusy, pollNone) {
			return n
		}
		c.polling.Store(pollBusy)
		c.armed.Store(isArmed) // the notification was not used
	}
}

// Ready implements hca.Peeker.
func (c *CQ) Ready() bool {
	for r := c.headRing.Load(); r != nil; r = r.next.Load() {
		if r.head.Load() != r.tail.Load() {
			return true
		}
	}
	return false
}

// Nothing implements hca.Sentry.
func (c *CQ) Nothing() bool {
	return c.conns.Load() != nil && !c.Ready() && !c.adapter.Engine.Busy() && !c.coalescing.Some() && c.conns.Guarded()
}

// SharesMemory implements hca.Sentry.
func (c *CQ) SharesMemory() bool {
	p := c.conns.Load()
	return p != nil && p.All[0].SharesMemory()
}

// progress does pending work on the caller's goroutine. If to is not nil, the completion of a message may be
// stored there and not in the queue. progress then returns true; that completion is older than all in the
// queue.
func (c *CQ) progress(to *hca.WC) (one bool) {
	c.adapter.Engine.Help(&c.consumer)
	if p := c.conns.Load(); p != nil {
		list := p.All
		if len(list) == 1 {
			return list[0].Poll(c, to)
		}
		// With many connections a call polls the latest busy connection and a few of the others, and asks the adapter's
		// poller for the rest. It leaves out those that the adapter watches: to read their sockets would be in vain.
		many := !p.Few()
		if many && c.busyCon < len(list) && !list[c.busyCon].Guarded() {
			list[c.busyCon].Poll(c, nil)
		}
		for range min(len(list), conns.Few) {
			c.nextCon++
			at := c.nextCon % len(list)
			if many && list[at].Guarded() {
				continue
			}
			before := c.empty()
			if list[at].Poll(c, nil); before && !c.empty() {
				c.busyCon = at
			}
		}
		if many {
			c.adapter.Background.Poller.Poll()
		}
	}
	return false
}

// Direct reports whether a new entry may be handed to the polling consumer directly, because it would be the
// only one. The caller is the consumer, and is inside the only gate through which entries come.
func (c *CQ) Direct() bool { return !c.shared.Load() && c.empty() }

// empty reports whether there is nothing to take. The caller is the consumer.
func (c *CQ) empty() bool {
	r := c.headRing.Load()
	return r.head.Load() == r.tail.Load() && r.next.Load() == nil
}

func (c *CQ) Arm() error {
	if c.closed.Load() {
		return hca.NewError(hca.Closed, "arm", "completion queue", "the queue has been closed")
	}
	c.arms.Add(1)
	c.armedUnpolled.Store(true)
	if c.noWaiter.Load() {
		c.noWaiter.Store(false)
	}
	c.armed.Store(isArmed)
	if c.conns.Load() != nil {
		c.look(true)
		if !c.returns.Load() {
			c.conns.Unpolled()
		}
		c.leader.Armed(c.poller())
	}
	return nil
}

// WillPoll reports whether the consumer polls, and polls each connection.
func (c *CQ) WillPoll() bool {
	return c.PollCount.Load() > 0 && c.armed.Load() != isArmed && c.FewConns()
}

// FewConns reports whether each poll of the queue reaches all of its connections soon.
func (c *CQ) FewConns() bool { return c.conns.Few() }

// Attended reports whether a consumer polls for the completions of the requests or, if it does not take
// these, for those of the receives.
func (q *QP) Attended() bool {
	if q.SendCQ.PollCount.Load() > 0 {
		return q.SendCQ.armed.Load() != isArmed
	}
	return q.RecvCQ.PollCount.Load() > 0 && q.RecvCQ.armed.Load() != isArmed
}
