package verbs

import "github.com/godapl/godapl/internal/hca"

// A consumer that waits for a queue reads the adapter's completion channel itself: see turns. The methods are those of
// hca.Parker.

// AcquirePark implements hca.Parker.
func (c *cq) AcquirePark() bool {
	t := &c.ad.cqEvents.turns
	if !t.acquire(&t.theirs) {
		return false
	}
	c.paused = false
	c.ad.cqEvents.reader = c
	return true
}

// Park implements hca.Parker.
func (c *cq) Park(again func() bool) bool {
	p := &c.ad.cqEvents.turns.theirs
	if again == nil {
		return p.Park(nil) && !c.lost()
	}
	c.stays = again
	if c.stay == nil {
		c.stay = func() bool { return c.stays() || c.lost() }
	}
	return !c.lost() && p.Park(c.stay) && !c.lost()
}

// lost reports that the consumer may not read the channel any more.
func (c *cq) lost() bool { return c.paused || c.ad.cqEvents.turns.tired.Load() }

// Kicker implements hca.Parker.
func (c *cq) Kicker() *func() { return c.ad.cqEvents.turns.theirs.Kicker() }

// ReleasePark implements hca.Parker.
func (c *cq) ReleasePark(others bool) {
	if !others {
		c.nobodySleeps()
	}
	c.guests = c.guests[:0]
	c.ad.cqEvents.turns.release()
}

// Depart implements hca.Parker.
func (c *cq) Depart() { c.ReleasePark(false) }

// Gather implements hca.Parker: the reader of the channel serves all queues.
func (c *cq) Gather(other hca.Parker) bool {
	o, ok := other.(*cq)
	if !ok || o.ad != c.ad {
		return false
	}
	c.guests = append(c.guests, o)
	return true
}

// Elsewhere implements hca.Parker. A consumer that has armed the queue may have left since; others arm it themselves.
func (c *cq) Elsewhere() {
	c.mu.Lock()
	armed := c.armed
	if armed {
		c.sleeps(true)
	}
	c.mu.Unlock()
	if armed {
		c.ad.cqEvents.armed()
	}
}

// Pause implements hca.Parker. An owner that goes on has lost its place: Park says so then.
func (c *cq) Pause(yes bool) {
	if yes {
		c.paused = true
		c.ad.cqEvents.turns.pause()
	}
}

// nobodySleeps says that the consumers of the queue, and of those that it serves, do not sleep, armed or not.
func (c *cq) nobodySleeps() {
	c.sleepsNot()
	for _, q := range c.guests {
		q.sleepsNot()
	}
}

func (c *cq) sleepsNot() {
	c.mu.Lock()
	c.sleeps(false)
	c.mu.Unlock()
}

// sleeps notes whether a consumer may sleep. The caller holds mu.
func (c *cq) sleeps(yes bool) {
	if c.counted == yes {
		return
	}
	c.counted = yes
	c.ad.cqEvents.sleepers(yes)
}

var _ hca.Parker = (*cq)(nil)
