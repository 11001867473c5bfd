package core

import (
	"slices"

	"github.com/godapl/godapl/internal/hca/soft/progress"
)

// The consumer of a queue with many connections does not park at each of them: it leads the adapter's poller. See
// progress.Lead.

func (c *CQ) poller() *progress.Poller { return &c.adapter.Background.Poller }

// acquireLead makes the park's owner lead. What arrives in shared memory is not at the poller.
func (c *CQ) acquireLead() bool {
	return !c.SharesMemory() && c.leader.Acquire(c.poller())
}

func (c *CQ) leaveLead(others bool) {
	k := c.parked
	var leaders [8]*progress.Leader
	list := leaders[:0]
	for _, g := range k.guests {
		list = append(list, &g.leader)
	}
	c.leader.Leave(&c.adapter.Background, list, others, func() bool {
		return c.adapter.connected.Any(func(x *CQ) bool { return x != c && x.hasWaiter() && !slices.Contains(k.guests, x) })
	})
}
