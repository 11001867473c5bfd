package progress

import "time"

// A WaitCount counts waits and how long they took. It reads the clock only where something has to wait anyway. The
// caller's gate guards it.
type WaitCount struct {
	N     uint64
	past  time.Duration // of the waits that are over
	since time.Duration // from epoch, when the current wait began; 0: there is none
}

// epoch is when time begins for what keeps a time in one word.
var epoch = time.Now()

// Begin begins a wait.
func (w *WaitCount) Begin() {
	w.N++
	w.since = time.Since(epoch)
}

// Again ends the wait, if one goes on, and begins it anew without counting it.
func (w *WaitCount) Again() {
	if w.End() {
		w.since = time.Since(epoch)
	}
}

// End ends the wait, if one goes on.
func (w *WaitCount) End() (was bool) {
	if w.since == 0 {
		return false
	}
	w.past += time.Since(epoch) - w.since
	w.since = 0
	return true
}

// Read returns how long all waits took, the current one included, and the time of the current one, which is 0 only if
// there is none.
func (w *WaitCount) Read() (all, now time.Duration) {
	if w.since != 0 {
		now = max(time.Since(epoch)-w.since, 1)
	}
	return w.past + now, now
}
