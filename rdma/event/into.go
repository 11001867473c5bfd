package event

import (
	"math"
	"time"
)

// SetBurst changes Config.Burst, for waits that begin after it. Who looks, in a burst
// before parking, finds quiet events, too, although they would not have woken it:
// where that matters, wait without a burst (negative).
func (d *Dispatcher[T]) SetBurst(n int) {
	c := Config{Burst: n}.filled()
	d.burst.Store(int32(min(c.Burst, math.MaxInt32)))
}

// WaitTimeoutInto is WaitTimeout that puts the event into *first.
func (d *Dispatcher[T]) WaitTimeoutInto(first *T, timeout time.Duration, threshold int) (more int, err error) {
	return d.waitFirst(first, threshold, noContext, timeout)
}
