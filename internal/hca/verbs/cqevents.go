package verbs

import (
	"slices"
	"sync"
	"sync/atomic"

	"github.com/godapl/godapl/internal/hca"
	"github.com/godapl/godapl/internal/hca/verbs/ibv"
)

// ackEvery is how many notifications of a queue are acknowledged at a time:
// each acknowledgement takes a lock that destroying the queue waits for.
const ackEvery = 64

// cqEvents answers the notifications of all completion queues of an adapter.
type cqEvents struct {
	ad    *adapter
	ch    ibv.CompChannel
	turns turns
	// mu is held while an event is read and its queue found, and while queues
	// are destroyed.
	mu     sync.Mutex
	closed bool
	latest *cq // that was notified
	reader *cq // that consumer's; constant while it reads
	// unread: a thread outside of Go has been woken, and has perhaps left its notification in the channel.
	unread atomic.Bool
}

func openCQEvents(a *adapter) (*cqEvents, error) {
	ch, e := a.lib.CreateCompChannel(a.dev.ctx)
	if e != 0 {
		return nil, explain("Open", a.dev.name, e, "no completion channel")
	}
	b := &cqEvents{ad: a, ch: ch}
	if err := b.turns.start("completions", ch.FD(), b.next, b.own); err != nil {
		a.lib.DestroyCompChannel(ch)
		return nil, err
	}
	return b, nil
}

// own reports whether the latest notification was for the consumer that reads.
func (b *cqEvents) own() bool {
	b.mu.Lock()
	c := b.latest
	b.mu.Unlock()
	return c == b.reader || slices.Contains(b.reader.guests, c)
}

// sleepers counts a queue more or less whose consumer may sleep, or for whose entries somebody waits.
func (b *cqEvents) sleepers(more bool) {
	if more {
		b.turns.sleepers.Add(1)
	} else {
		b.turns.sleepers.Add(-1)
	}
}

// armed says that somebody will wait for a notification.
func (b *cqEvents) armed() { b.turns.slept() }

func (b *cqEvents) close() {
	b.mu.Lock()
	b.closed = true
	b.mu.Unlock()
	b.turns.close()
	b.ad.lib.DestroyCompChannel(b.ch)
}

// without runs f while no event is being read.
func (b *cqEvents) without(f func()) {
	b.mu.Lock()
	defer b.mu.Unlock()
	f()
}

// next handles one notification.
func (b *cqEvents) next() ibv.Errno {
	b.mu.Lock()
	if b.closed {
		b.mu.Unlock()
		return ibv.EINVAL
	}
	h, _, e := b.ad.lib.GetCQEvent(b.ch)
	if e != 0 {
		b.mu.Unlock()
		return e
	}
	c := b.ad.findCQ(h)
	if c == nil {
		b.ad.lib.AckCQEvents(h, 1) // it is being destroyed, and waits for this
		b.mu.Unlock()
		return 0
	}
	b.latest = c
	c.mu.Lock()
	b.mu.Unlock()
	c.notified(h)
	return 0
}

// notified handles a notification of device queue h. Called with c.mu held; it releases
// the lock. The arming of the device is used up. The consumer is called only if an
// entry that may wake it is still there: it may have polled the entry already and armed
// again.
func (c *cq) notified(h ibv.CQ) {
	if c.acks[h]++; c.acks[h] >= ackEvery {
		c.ad.lib.AckCQEvents(h, c.acks[h])
		c.acks[h] = 0
	}
	c.pull()
	if h == c.solicited && c.ready.len() > 0 {
		c.fresh = true
	}
	if !c.closed && (c.waiting > 0 || c.armed && !c.fresh) {
		// The consumer still waits: arm again and check for entries.
		c.armAgain()
		c.again = true // entries from before the arming cause no notification
		c.pull()
		c.again = false
	}
	c.drained = true
	c.finish()
}

// Arm asks for one Notify.
func (c *cq) Arm() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed {
		return hca.NewError(hca.Closed, "CQ.Arm", "completion queue", "it has been closed")
	}
	c.armed, c.fresh = true, false
	c.sleeps(true)
	c.stats.Arms++
	if e := c.arm(); e != 0 {
		return explain("CQ.Arm", c.ad.attr.Name, e, "")
	}
	return nil
}

// armAgain is arm for a consumer that has armed the queue before. Where the device refuses, nothing would wake that one:
// it is woken at once, arms by itself, and gets the error.
func (c *cq) armAgain() {
	if c.arm() != 0 {
		c.fresh = true
	}
}

// arm arms the device. Its caller has been counted as a sleeper before: see turns.
func (c *cq) arm() ibv.Errno {
	c.ad.cqEvents.armed()
	e := c.frame.ReqNotify(c.h, false)
	if e == 0 && c.solicited != 0 {
		// A queue pair that waits for its own entries wants all of them.
		e = c.frame.ReqNotify(c.solicited, c.waiting == 0)
	}
	return e
}
