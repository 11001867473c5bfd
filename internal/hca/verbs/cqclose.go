package verbs

import (
	"github.com/godapl/godapl/internal/hca"
	"github.com/godapl/godapl/internal/hca/verbs/ibv"
)

// join counts a queue pair that uses the queue.
func (c *cq) join(op string) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed {
		return hca.NewError(hca.Closed, op, "completion queue", "it has been closed")
	}
	c.users++
	return nil
}

func (c *cq) leave() {
	c.mu.Lock()
	c.users--
	c.mu.Unlock()
}

func (c *cq) Close() error {
	if err := c.ad.begin("CQ.Close"); err != nil {
		return err
	}
	defer c.ad.calls.leave()
	c.mu.Lock()
	switch {
	case c.closed:
		c.mu.Unlock()
		return hca.NewError(hca.Closed, "CQ.Close", "completion queue", "it has been closed")
	case c.users > 0:
		c.mu.Unlock()
		return hca.NewError(hca.InUse, "CQ.Close", "completion queue", "queue pairs use it: close them first")
	}
	c.closed, c.armed = true, false // from here on no queue pair can join
	c.sleeps(false)
	c.mu.Unlock()
	c.free()
	return nil
}

// destroy is Close for an adapter that is closed itself.
func (c *cq) destroy() {
	c.mu.Lock()
	if c.closed {
		c.mu.Unlock()
		return
	}
	c.closed, c.armed = true, false
	c.sleeps(false)
	c.mu.Unlock()
	c.free()
}

// free destroys the device's queues after the last user has left. Destroying waits
// until all events of a queue are acknowledged, so no event may be read meanwhile.
func (c *cq) free() {
	a := c.ad
	a.cqEvents.without(func() {
		for _, h := range []ibv.CQ{c.h, c.solicited} {
			if h == 0 {
				continue
			}
			remove(a, a.byCQ, h)
			c.mu.Lock()
			if n := c.acks[h]; n > 0 {
				a.lib.AckCQEvents(h, n)
			}
			c.mu.Unlock()
			if e := a.lib.DestroyCQ(h); e != 0 {
				a.logf("a completion queue could not be freed", "error", e)
			}
		}
	})
	c.mu.Lock()
	c.wcs.Free()
	c.mu.Unlock()
}

// overflowed is the device saying that entries were lost: the queue pairs that
// use the queue can never be told how their work ended, so they are broken.
func (c *cq) overflowed() {
	a := c.ad
	c.mu.Lock()
	c.stats.Overflows = 1
	c.mu.Unlock()
	err := hca.NewError(hca.Overflow, "completion queue", a.attr.Name,
		"more completions than it holds: make it as deep as the queue pairs' send and receive queues together")
	a.mu.Lock()
	var qps []*qp
	for q := range a.all {
		if q.scq == c || q.rcq == c {
			qps = append(qps, q)
		}
	}
	a.mu.Unlock()
	a.reportAsync(hca.AsyncEvent{Kind: hca.AsyncCQOverflow, Object: hca.CQ(c), Err: err})
	for _, q := range qps {
		q.fail(err)
	}
}
