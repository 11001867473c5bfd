package progress

import (
	"testing"
	"time"
)

// TestWaitCount: a wait counts once. When it begins again, the time of the current one begins anew, and the time of all goes
// on.
func TestWaitCount(t *testing.T) {
	var w WaitCount
	w.Again() // none
	w.Begin()
	w.since -= time.Hour
	if all, now := w.Read(); all < time.Hour || all != now {
		t.Errorf("an hour: %v, %v of it now", all, now)
	}
	w.Again()
	if all, now := w.Read(); all < time.Hour || now <= 0 || now > time.Hour/2 {
		t.Errorf("again: %v, %v of it now", all, now)
	}
	w.End()
	if all, now := w.Read(); all < time.Hour || now != 0 || w.N != 1 {
		t.Errorf("over: %v, %v of it now, %d waits", all, now, w.N)
	}
}
