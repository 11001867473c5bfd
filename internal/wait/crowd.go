package wait

import (
	"runtime"
	"sync/atomic"
	"time"
)

// A Crowd counts the waits that sleep now and could begin with a burst, for example those of one adapter. A burst
// saves a sleep if the sleeper has a processor for itself until the answer comes. Where many sleep and wake, the
// goroutines share the processors, and the bursts of some delay the others. So a wait has no burst as long as
// there are more than crowded sleepers for each processor, or crowdedSteady for a Steady wait, whose looks make no
// system call. Those that have slept for long do not count: they need no processor. The zero value is ready.
type Crowd struct {
	all atomic.Int32
	// recent is the sleepers of the last two periods: bits 0-15 those of the current one, bits 16-31 those of the
	// one before, bits 32-63 the number of the current one.
	recent atomic.Uint64
}

const (
	crowdedSteady = 4
	crowded       = 1
	// A sleeper counts for one to two periods. That is longer than a goroutine waits for a processor while others
	// have theirs for a time slice of Go's scheduler.
	crowdPeriod = 32 * time.Millisecond
	crowdMost   = 1<<16 - 1
)

var (
	processors = int32(runtime.NumCPU())
	crowdEpoch = time.Now()
)

// many reports that a wait should have no burst. A nil Crowd is never crowded. The clock is read if there are many
// sleepers at all.
func (c *Crowd) many(steady bool) bool {
	most := crowded * processors
	if steady {
		most = crowdedSteady * processors
	}
	if c == nil || c.all.Load() <= most {
		return false
	}
	w := inPeriod(c.recent.Load(), crowdNow())
	return int32(w&crowdMost+w>>16&crowdMost) > most
}

// sleeps counts a sleeper that comes. It returns the period, for wakes.
func (c *Crowd) sleeps() (period uint32) {
	if c == nil {
		return 0
	}
	c.all.Add(1)
	for {
		old := c.recent.Load()
		w := inPeriod(old, crowdNow())
		if w&crowdMost < crowdMost {
			w++
		}
		if c.recent.CompareAndSwap(old, w) {
			return uint32(w >> 32)
		}
	}
}

// wakes counts a sleeper that leaves.
func (c *Crowd) wakes(period uint32) {
	if c == nil {
		return
	}
	c.all.Add(-1)
	for {
		w := c.recent.Load()
		one := uint64(0)
		switch uint32(w>>32) - period {
		case 0:
			one = 1
		case 1:
			one = 1 << 16
		}
		if w&(crowdMost*one) == 0 || c.recent.CompareAndSwap(w, w-one) {
			return
		}
	}
}

func crowdNow() uint32 { return uint32(time.Since(crowdEpoch) / crowdPeriod) }

// inPeriod is the word as it is in a period.
func inPeriod(w uint64, period uint32) uint64 {
	p := uint32(w >> 32)
	switch {
	case uint32(w) == 0: // nobody counts
		return uint64(period) << 32
	case p == period, int32(period-p) < 0: // another goroutine has read the clock later
		return w
	case p+1 == period:
		return uint64(period)<<32 | w&crowdMost<<16
	}
	return uint64(period) << 32
}
