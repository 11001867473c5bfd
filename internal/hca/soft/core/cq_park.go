package core

import (
	"github.com/godapl/godapl/internal/hca"
	"github.com/godapl/godapl/internal/hca/soft/progress"
)

// Parkable is an optional interface of a connection. While the consumer of a queue sleeps, such a connection can
// leave its input to the consumer, so that an arrival wakes the consumer and no goroutine of the adapter first.
type Parkable interface {
	// Park leaves the input of the connection to the consumer of a queue. A consumer in Go sleeps in the park p,
	// which wakes it at each arrival. If p is nil, the consumer is a thread outside of Go: it watches the descriptor
	// that Park returns. The result is -1 if the connection cannot leave its input now.
	Park(c *CQ, p *progress.Park) (fd int)
	// Unpark takes the input back, if Park was called for the same queue.
	Unpark(c *CQ)
	// Arrived handles input on the goroutine of the park's owner. It returns when there is no more input, or
	// when the owner must look at its queue.
	progress.Driver
}

// AcquirePark implements hca.Parker. It succeeds only for a queue of one network connection: the adapter's
// goroutines drive several connections, and wake the consumer; a connection over shared memory needs no kernel queue.
func (c *CQ) AcquirePark() bool {
	list := c.conns.Load()
	if list == nil || len(*list) != 1 || (*list)[0].SharesMemory() {
		return false
	}
	tc, ok := (*list)[0].(Parkable)
	if !ok || !c.park.AcquirePark() {
		return false
	}
	if !c.park.Open(c) || tc.Park(c, &c.park) < 0 {
		c.park.ReleasePark()
		return false
	}
	c.parked = tc
	return true
}

// Park and Kicker implement hca.Parker.
func (c *CQ) Park() bool      { return c.park.Park() }
func (c *CQ) Kicker() *func() { return c.park.Kicker() }

// ReleasePark implements hca.Parker.
func (c *CQ) ReleasePark(others bool) {
	if !others {
		c.noWaiter.Store(true)
	}
	c.parked.Unpark(c)
	c.parked = nil
	c.park.ReleasePark()
}

// Arrived implements progress.Driver.
func (c *CQ) Arrived(p *progress.Park) { c.parked.Arrived(p) }

// Sleeps reports whether a consumer of either queue waits to be notified.
func (q *QP) Sleeps() bool { return q.SendCQ.hasWaiter() || q.RecvCQ.hasWaiter() }

func (c *CQ) hasWaiter() bool { return c.armed.Load() != notArmed && !c.noWaiter.Load() }

var _ hca.Parker = (*CQ)(nil)
