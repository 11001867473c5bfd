package perf

import (
	"math"
	"sync/atomic"
	"time"
)

// limit ends a phase after n operations or, if n is 0, after a time.
type limit struct {
	n int64
	d time.Duration
}

// part is a shorter limit, for warming up.
func (l limit) part(of int64) limit {
	return limit{n: min(l.n, max(1, l.n/of)), d: max(l.d/time.Duration(of), time.Millisecond)}
}

// begin returns the number of operations, and what tells that the time is over. The
// caller calls stop.
func (l limit) begin() (n int64, over *deadline, stop func()) {
	if l.n > 0 {
		return l.n, &deadline{}, func() {}
	}
	over = &deadline{left: l.d}
	return math.MaxInt64, over, func() {
		if over.timer != nil {
			over.timer.Stop()
		}
	}
}

// deadline is a flag that is set when the time of a phase is over: a phase checks the
// flag, because reading a clock costs more. The time begins at the first look: a phase
// does one operation at least, however late its goroutine runs.
type deadline struct {
	over  atomic.Bool
	left  time.Duration // until the first look; 0 is no limit
	timer *time.Timer
}

// Load reports whether the time is over. One goroutine calls it.
func (d *deadline) Load() bool {
	if d.left != 0 {
		d.timer = time.AfterFunc(d.left, func() { d.over.Store(true) })
		d.left = 0
		return false // whatever the clock did since the line above
	}
	return d.over.Load()
}
