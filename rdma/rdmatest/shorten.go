package rdmatest

import (
	"testing"
	"testing/synctest"
)

// Shorten looks for a shorter history of a failure: it runs program with that seed and the sizes 1, 2 and
// so on, and returns the first that fails, 0 if none up to most does. What size means is the
// program's affair: how many operations it makes, for instance. These runs log nothing and fail no
// test; run that size again to see it.
func Shorten(seed uint64, most int, program func(t *testing.T, w *World, size int)) (size int) {
	defer oneProcessor()()
	for size := 1; size <= most; size++ {
		failed := true // if the goroutine ends early
		done := make(chan struct{})
		go func() {
			defer close(done)
			t := new(testing.T)
			synctest.Test(t, func(t *testing.T) { program(t, NewWorld(t, seed), size) })
			failed = t.Failed()
		}()
		if <-done; failed {
			return size
		}
	}
	return 0
}
