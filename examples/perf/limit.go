package main

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

// begin gives the number of operations, and a flag that is raised when the time
// is over: looking at it costs nothing, while a clock does. The caller stops it.
func (l limit) begin() (n int64, over *atomic.Bool, stop func()) {
	over = new(atomic.Bool)
	if l.n > 0 {
		return l.n, over, func() {}
	}
	t := time.AfterFunc(l.d, func() { over.Store(true) })
	return math.MaxInt64, over, func() { t.Stop() }
}
