package verbs

import (
	"slices"
	"testing"
	"testing/synctest"
	"time"
)

// A peer that has sent something may have missed the first message nevertheless: it is nudged once
// more, and then no more.
func TestNudges(t *testing.T) {
	ms := time.Millisecond
	for _, c := range []struct {
		heard, stopped time.Duration
		want           []time.Duration
	}{
		{0, time.Hour, []time.Duration{20 * ms}},
		{50 * ms, time.Hour, []time.Duration{20 * ms, 100 * ms}},
		{time.Hour, time.Hour, []time.Duration{20 * ms, 100 * ms, 400 * ms}},
		{time.Hour, 50 * ms, []time.Duration{20 * ms}},
	} {
		synctest.Test(t, func(t *testing.T) {
			began, stop := time.Now(), make(chan struct{})
			defer time.AfterFunc(c.stopped, func() { close(stop) }).Stop()
			var got []time.Duration
			nudges(stop, func() bool { return time.Since(began) >= c.heard }, func() { got = append(got, time.Since(began)) })
			if !slices.Equal(got, c.want) {
				t.Errorf("heard after %v, stopped after %v: nudged after %v, want %v", c.heard, c.stopped, got, c.want)
			}
		})
	}
}
