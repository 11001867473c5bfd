package wait

import (
	"runtime"
	"time"
)

// Waitable is what a sleeper waits for. Both methods are called on the
// sleeper's goroutine, one at a time.
type Waitable interface {
	// Look reports whether the wait is over. It may consume what it finds, since it is
	// not called again after it has returned true.
	Look() bool
	// Arm asks sources outside of memory (a completion queue, a descriptor) to
	// call Wake when something arrives. The loop looks again after it.
	Arm()
}

// Options bound a wait. The zero value waits without bounds.
type Options struct {
	// Done ends the wait when it is closed. May be nil.
	Done <-chan struct{}
	// Timeout ends the wait; 0 or less is no limit. The clock starts when the
	// sleeper parks for the first time: before that it is not read.
	Timeout time.Duration
	// Burst is how often to look before the processor is yielded and the
	// sleeper arms. 0 arms after the first look. When bursts have found nothing
	// for a while, most waits on the cell go without.
	Burst int
	// Looked says that the caller has looked just before, so that a wait without
	// a burst begins with arming.
	Looked bool
}

// Outcome is why a wait ended.
type Outcome uint8

const (
	Ready   Outcome = iota // Look said yes
	Done                   // Options.Done was closed
	Timeout                // Options.Timeout ran out
)

// Wait blocks until w.Look returns true or a limit of o is reached. It looks once more
// before it gives up, so an event takes precedence over the limit. It allocates nothing
// but, the first time, the cell's channel and timer.
func (c *Cell) Wait(w Waitable, o Options) Outcome {
	if n := c.pace.burst(o.Burst); n > 0 {
		for i := range n {
			if w.Look() {
				if i > 0 { // it came during the burst
					c.pace.done(true)
				}
				return Ready
			}
		}
		c.pace.done(false)
		// Yield only at the end of a burst: after a yield, any goroutine that computes
		// may keep the processor for a time slice.
		runtime.Gosched()
		o.Looked = false
	}
	var fire <-chan time.Time
	out := c.sleep(w, o, &fire)
	c.disarm()
	if fire != nil {
		c.timer.Stop()
	}
	return out
}

// sleep is the loop itself.
func (c *Cell) sleep(w Waitable, o Options, fire *<-chan time.Time) Outcome {
	for ; ; o.Looked = false {
		if !o.Looked {
			at(c, "look")
			if w.Look() {
				return Ready
			}
		}
		at(c, "arm")
		c.arm()
		at(c, "arm sources")
		w.Arm()
		at(c, "look again")
		if w.Look() {
			return Ready
		}
		at(c, "park")
		if o.Timeout > 0 && *fire == nil {
			// It keeps running over spurious wake-ups: the limit is for the
			// whole wait.
			*fire = c.start(o.Timeout)
		}
		if out := c.park(o.Done, *fire); out != Ready {
			at(c, "last look")
			if w.Look() {
				return Ready
			}
			return out
		}
	}
}

// park blocks until there is a token or a bound is reached.
func (c *Cell) park(done <-chan struct{}, fire <-chan time.Time) Outcome {
	if done == nil && fire == nil {
		<-c.token
		return Ready
	}
	select {
	case <-c.token: // no need to sleep; and a wake-up goes before a bound
		return Ready
	default:
	}
	select {
	case <-c.token:
		return Ready
	case <-done:
		return Done
	case <-fire:
		return Timeout
	}
}

// start sets the cell's timer going.
func (c *Cell) start(d time.Duration) <-chan time.Time {
	if c.timer == nil {
		c.timer = time.NewTimer(d)
	} else {
		c.timer.Reset(d)
	}
	return c.timer.C
}
