package verbs

import (
	"github.com/godapl/godapl/internal/hca"
	"github.com/godapl/godapl/internal/hca/verbs/ibv"
)

// A thread outside of Go waits for a queue at the adapter's completion channel, as a consumer in Go does that reads the
// channel itself: see turns. The thread enters Go to read it.

// ArmDescriptors implements hca.DescriptorArmer.
func (c *cq) ArmDescriptors(fds []int32) ([]int32, error) {
	t := &c.ad.cqEvents.turns
	switch {
	case simulated(t.fd):
		return fds, c.Arm()
	case c.outside:
		c.readOne()
	case t.acquire(nil):
		c.outside = true
		c.ad.cqEvents.reader = c
		if c.ad.cqEvents.unread.Swap(false) {
			c.readOne()
		}
	}
	if c.outside {
		fds = append(fds, int32(t.fd))
	}
	return fds, c.Arm()
}

// DisarmDescriptors implements hca.DescriptorArmer.
func (c *cq) DisarmDescriptors(others bool) {
	if !others {
		c.mu.Lock()
		c.sleeps(false)
		if c.outside {
			c.armed = false // what is read now wakes nobody
		}
		c.mu.Unlock()
	}
	if !c.outside {
		return
	}
	// The thread has what it has waited for. The notification of that can wait until somebody sleeps here again, unless
	// the goroutine is about to be woken by it.
	if b := c.ad.cqEvents; others || b.turns.sleepers.Load() > 0 {
		c.readOne()
	} else {
		b.unread.Store(true)
	}
	c.outside = false
	c.ad.cqEvents.turns.release()
}

// readOne handles notifications until there are none, or one was the thread's. More of them may be there: the thread
// finds them when it sleeps again, and so does whoever reads next.
func (c *cq) readOne() {
	b := c.ad.cqEvents
	for {
		switch b.next() {
		case 0:
			if b.own() {
				return
			}
		case ibv.EINTR:
		default:
			return
		}
	}
}

var _ hca.DescriptorArmer = (*cq)(nil)
