package debug

import "time"

// counts are the counters that a sample compares.
type counts struct {
	ops, bytes, waits, stalls uint64

	work bool // requests are under way, or the protocol says that its program waits
}

// sample is what looks at an endpoint or an adapter have seen.
type sample struct {
	at               time.Time // of the look that rates begin at
	then             counts    // at that time
	opRate, byteRate float64   // per second, before it
	waiting, stalled bool      // before it, messages began to wait for receives, the transport ran out of room

	latest uint64    // operations at the latest look
	moved  time.Time // when they changed
	busy   time.Time // the first look since then of those that have all seen work; zero: the latest has seen none
}

// apart is the least time between two looks of which rates are made: several viewers may look.
const apart = 500 * time.Millisecond

// next is the sample after a look.
func (x sample) next(now time.Time, c counts) sample {
	if x.moved.IsZero() || c.ops != x.latest {
		x.latest, x.moved, x.busy = c.ops, now, time.Time{}
	}
	switch {
	case !c.work:
		x.busy = time.Time{}
	case x.busy.IsZero():
		x.busy = now
	}
	d := now.Sub(x.at)
	switch {
	case x.at.IsZero():
		x.at, x.then = now, c
	case d >= apart:
		x.opRate, x.byteRate = float64(c.ops-x.then.ops)/d.Seconds(), float64(c.bytes-x.then.bytes)/d.Seconds()
		x.waiting, x.stalled = c.waits > x.then.waits, c.stalls > x.then.stalls
		x.at, x.then = now, c
	}
	return x
}
