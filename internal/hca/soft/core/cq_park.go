package core

import (
	"slices"

	"github.com/godapl/godapl/internal/hca"
	"github.com/godapl/godapl/internal/hca/park"
	"github.com/godapl/godapl/internal/hca/soft/conns"
)

// Parkable is an optional interface of a connection. While the consumer of a queue sleeps, such a connection can
// leave its input to the consumer, so that an arrival wakes the consumer and no goroutine of the adapter first.
type Parkable interface {
	// Park leaves the input of the connection to the consumer of a queue. A consumer in Go sleeps in the park p,
	// which wakes it at each arrival. If p is nil, the consumer is a thread outside of Go: it watches the descriptor
	// that Park returns. The result is -1 if the connection cannot leave its input now.
	Park(c *CQ, p *park.Park) (fd int)
	// Unpark takes the input back, if Park was called for the same queue.
	Unpark(c *CQ)
	// Arrived handles input on the goroutine of the park's owner. It returns when there is no more input, or
	// when the owner must look at its queue.
	park.Driver
}

// parking is what the owner of a queue's park has left to it. It belongs to the owner.
type parking struct {
	park.Arrivals
	list   []parkedConn
	guests []*CQ              // queues whose consumer is the same: see Gather
	conns  *conns.Now[Polled] // of the queue, when it was parked
}

// A parkedConn is a connection that has left its input to the consumer of a queue.
type parkedConn struct {
	tc    Parkable
	queue *CQ
}

// AcquirePark implements hca.Parker. The owner of a queue of a few connections parks at these, and that of more leads
// the adapter's poller, unless somebody else does: see cq_lead.go.
func (c *CQ) AcquirePark() bool {
	if now := c.conns.Load(); now != nil && c.park.AcquirePark() {
		if c.parked == nil {
			c.parked = new(parking)
		}
		c.parked.conns = now
		if now.Few() && c.park.Open(c) == nil && c.leaveTo(c) || !now.Few() && c.acquireLead() {
			return true
		}
		c.park.ReleasePark()
	}
	c.Elsewhere()
	return false
}

// leaveTo parks the connections of c at host's park. It returns false if none of them was parked.
func (c *CQ) leaveTo(host *CQ) (some bool) {
	if now := c.conns.Load(); now != nil && now.Few() {
		for _, tc := range now.All {
			if x, ok := tc.(Parkable); ok {
				if fd := x.Park(c, &host.park); fd >= 0 {
					host.parked.list = append(host.parked.list, parkedConn{x, c})
					host.parked.Expect(fd, x)
					some = true
				}
			}
		}
	}
	if some || c != host {
		c.Elsewhere() // armed before: from here on the connections are quiet
	}
	return some
}

// Gather implements hca.Parker. A connection that uses both queues is parked already.
func (c *CQ) Gather(other hca.Parker) bool {
	guest, ok := other.(*CQ)
	if !ok || !guest.park.AcquirePark() {
		return false
	}
	c.parked.guests = append(c.parked.guests, guest)
	if c.leader.Leads() { // its connections are the poller's
		guest.Elsewhere()
	} else {
		guest.leaveTo(c)
	}
	return true
}

// Park implements hca.Parker.
func (c *CQ) Park(again func() bool) bool {
	if c.leader.Leads() {
		return c.poller().Lead.Park(again)
	}
	c.parked.Begin()
	if again == nil {
		return c.park.Park(nil)
	}
	// An owner that stays leaves when the queue gets or loses a connection, or when one would not park now.
	same := true
	stay := func() bool { same = c.conns.Load() == c.parked.conns && !c.parked.Moves(); return again() || !same }
	return c.park.Park(stay) && same
}

// Arrived implements park.Driver.
func (c *CQ) Arrived(p *park.Park) { c.parked.Arrived(p) }

// Crowd is an optional interface of a connection that stands for many.
type Crowd interface{ Crowd() }

// Crowded implements hca.Crowded.
func (c *CQ) Crowded() bool {
	p := c.conns.Load()
	return p != nil && (!p.Few() || slices.ContainsFunc(p.All, func(tc Polled) bool { _, ok := tc.(Crowd); return ok }))
}

// Kicker implements hca.Parker.
func (c *CQ) Kicker() *func() {
	if c.leader.Leads() {
		return c.poller().Lead.Kicker()
	}
	return c.park.Kicker()
}

// ReleasePark implements hca.Parker.
func (c *CQ) ReleasePark(others bool) { c.leavePark(others, false) }

// Depart implements hca.Parker.
func (c *CQ) Depart() { c.leavePark(false, true) }

func (c *CQ) leavePark(others, returns bool) {
	k := c.parked
	if c.leader.Leads() {
		c.leaveLead(others)
	}
	c.depart(others, returns)
	for _, g := range k.guests {
		g.depart(others, returns)
	}
	for i := range k.list {
		k.list[i].tc.Unpark(k.list[i].queue)
	}
	for _, g := range k.guests {
		g.park.ReleasePark()
	}
	k.Forget()
	clear(k.list)
	clear(k.guests)
	k.list, k.guests = k.list[:0], k.guests[:0]
	c.park.ReleasePark()
}

func (c *CQ) depart(others, returns bool) {
	if !others {
		c.noWaiter.Store(true)
	}
	if returns {
		c.returns.Store(true)
	}
}

// Elsewhere implements hca.Parker.
func (c *CQ) Elsewhere() {
	c.leader.Elsewhere(c.poller())
	if c.returns.Load() && c.returns.CompareAndSwap(true, false) {
		c.conns.Unpolled()
	}
}

// Pause implements hca.Parker.
func (c *CQ) Pause(yes bool) {
	for _, x := range c.parked.list {
		if yes {
			x.tc.Unpark(x.queue)
		} else {
			x.tc.Park(x.queue, &c.park)
		}
	}
}

// Sleeps reports whether a consumer of either queue waits to be notified.
func (q *QP) Sleeps() bool { return q.SendCQ.hasWaiter() || q.RecvCQ.hasWaiter() }

func (c *CQ) hasWaiter() bool { return c.armed.Load() != notArmed && !c.noWaiter.Load() }

var _ hca.Parker = (*CQ)(nil)
