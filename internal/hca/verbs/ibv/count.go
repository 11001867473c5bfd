package ibv

import "sync/atomic"

var (
	counting  atomic.Bool
	crossings atomic.Uint64
)

// Count switches the counting of crossings into C on or off, for tests and
// measurements.
func Count(on bool) { counting.Store(on) }

// Crossings gives how many calls into C were made while counting was on.
func Crossings() uint64 { return crossings.Load() }

func count() {
	if counting.Load() {
		crossings.Add(1)
	}
}
