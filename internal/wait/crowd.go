package wait

import (
	"runtime"
	"sync/atomic"
)

// A Crowd counts the waits that sleep now and could begin with a burst, for example those of one adapter. A burst
// saves a sleep if the sleeper has a processor for itself until the answer comes. Where many sleep at a time, the
// goroutines share the processors, and the bursts of some delay the others. So a wait has no burst as long as
// there are more than crowded sleepers for each processor. The zero value is ready.
type Crowd struct{ n atomic.Int32 }

const crowded = 4

var processors = int32(runtime.NumCPU())

// many reports that a wait should have no burst. A nil Crowd is never crowded.
func (c *Crowd) many() bool { return c != nil && c.n.Load() > crowded*processors }

// add counts a sleeper that comes (1) or leaves (-1).
func (c *Crowd) add(n int32) {
	if c != nil {
		c.n.Add(n)
	}
}
