package debug

import (
	"testing"
	"time"
)

// TestRates: rates are made of looks that are half a second apart at least, and what moved in
// between is not forgotten.
func TestRates(t *testing.T) {
	t0 := time.Unix(1000, 0)
	var x sample
	for _, look := range []struct {
		after     time.Duration
		ops       uint64
		rate      float64
		idle      time.Duration
		waits     uint64
		isWaiting bool
	}{
		{0, 10, 0, 0, 5, false},
		{100 * time.Millisecond, 10, 0, 100 * time.Millisecond, 5, false},
		{200 * time.Millisecond, 30, 0, 0, 5, false}, // too early for a rate
		{2 * time.Second, 30, 10, 1800 * time.Millisecond, 6, true},
		{2100 * time.Millisecond, 30, 10, 1900 * time.Millisecond, 6, true},
		{4 * time.Second, 30, 0, 3800 * time.Millisecond, 6, false},
	} {
		now := t0.Add(look.after)
		x = x.next(now, counts{ops: look.ops, waits: look.waits})
		if x.opRate != look.rate || now.Sub(x.moved) != look.idle || x.waiting != look.isWaiting {
			t.Errorf("after %v: %v/s, idle %v, waiting %t; want %v, %v, %t", look.after, x.opRate, now.Sub(x.moved), x.waiting, look.rate, look.idle, look.isWaiting)
		}
	}
}
