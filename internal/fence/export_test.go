package fence

import "sync"

// Again makes Begin begin anew, with holders paying meanwhile. It reports whether the
// kernel can execute fences. No other goroutine uses the package at the time.
func Again() bool {
	can := Begin()
	ordinary.Store(false)
	others.Store(false)
	begin = sync.OnceValue(start)
	return can
}
