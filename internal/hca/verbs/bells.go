package verbs

import (
	"sync"

	"github.com/godapl/godapl/internal/hca"
	"github.com/godapl/godapl/internal/hca/verbs/ibv"
)

// ackEvery is how many notifications of a queue are acknowledged at a time:
// each acknowledgement takes a lock that destroying the queue waits for.
const ackEvery = 64

// bells answers the notifications of all completion queues of an adapter.
type bells struct {
	ad *adapter
	ch ibv.CompChannel
	d  *descriptor
	// mu is held while an event is read and its queue found, and while queues
	// are destroyed.
	mu sync.Mutex
}

func openBells(a *adapter) (*bells, error) {
	ch, e := a.lib.CreateCompChannel(a.dev.ctx)
	if e != 0 {
		return nil, explain("Open", a.dev.name, e, "no completion channel")
	}
	b := &bells{ad: a, ch: ch}
	d, err := watch("completions", ch.FD(), b.next)
	if err != nil {
		a.lib.DestroyCompChannel(ch)
		return nil, err
	}
	b.d = d
	return b, nil
}

func (b *bells) close() {
	b.d.close()
	b.ad.lib.DestroyCompChannel(b.ch)
}

// without runs f while no event is being read.
func (b *bells) without(f func()) {
	b.mu.Lock()
	defer b.mu.Unlock()
	f()
}

// next answers one notification.
func (b *bells) next() ibv.Errno {
	b.mu.Lock()
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
	c.mu.Lock()
	b.mu.Unlock()
	c.rang(h)
	return 0
}

// rang is called with c.mu held, and lets it go. The device's arming is used
// up. The consumer is told only if there is an entry that may wake it: it may
// have found those that rang by itself, and armed again meanwhile.
func (c *cq) rang(h ibv.CQ) {
	if c.acks[h]++; c.acks[h] >= ackEvery {
		c.ad.lib.AckCQEvents(h, c.acks[h])
		c.acks[h] = 0
	}
	c.pull()
	if h == c.solicited && c.ready.len() > 0 {
		c.fresh = true
	}
	if !c.closed && (c.waiting > 0 || c.armed && !c.fresh) {
		// Somebody still waits: arm, and look again.
		c.arm()
		c.again = true // what came before the device was armed rings for nobody
		c.pull()
		c.again = false
	}
	c.rung = true
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
	if e := c.arm(); e != 0 {
		return explain("CQ.Arm", c.ad.attr.Name, e, "")
	}
	return nil
}

func (c *cq) arm() ibv.Errno {
	e := c.frame.ReqNotify(c.h, false)
	if e == 0 && c.solicited != 0 {
		// A queue pair that waits for its own entries wants all of them.
		e = c.frame.ReqNotify(c.solicited, c.waiting == 0)
	}
	return e
}
