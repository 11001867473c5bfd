package core

import (
	"sync/atomic"

	"github.com/godapl/godapl/internal/hca"
	"github.com/godapl/godapl/internal/hca/soft/gate"
)

// cqCounts are counted by the consumer, which stores them in order and without a fence: any goroutine may read
// them.
type cqCounts struct {
	direct atomic.Uint64 // entries that were handed over without a ring
	empty  atomic.Uint64 // polls without an entry
	high   atomic.Uint64
}

// bump adds to a word that only the caller writes.
func bump(w *atomic.Uint64, n uint64) { gate.StoreRelease(w, w.Load()+n) }

// none counts a poll that found n entries if that is none.
func (c *CQ) none(n int) int {
	if n == 0 {
		bump(&c.counts.empty, 1)
	}
	return n
}

// tell notifies the consumer.
func (c *CQ) tell() {
	c.wakes.Add(1)
	c.notify()
}

// ReadStats implements hca.CQStatsReader.
func (c *CQ) ReadStats(*hca.Patience) hca.CQStats {
	k := &c.counts
	s := hca.CQStats{Depth: c.Depth(), EmptyPolls: k.empty.Load(), Arms: c.arms.Load(), Wakes: c.wakes.Load(), Overflows: c.overflows.Load()}
	r := c.headRing.Load()
	s.Taken = r.past + r.head.Load() + k.direct.Load()
	for x := r; x != nil; x = x.next.Load() {
		h := x.head.Load() // before tail, which is never behind it
		s.Waiting += x.tail.Load() - h
	}
	s.High = max(k.high.Load(), s.Waiting)
	return s
}
