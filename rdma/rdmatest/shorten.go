package rdmatest

import (
	"testing"
	"testing/synctest"
)

// Shorten looks for a shorter history of a failure: it runs program with that seed and the sizes 1, 2 and
// so on, and returns the first that fails, 0 if none up to most does. The program decides what
// size means: how many operations it makes, for instance. These runs log nothing and fail no
// test; run that size again to see it.
func Shorten(seed uint64, most int, program func(t *testing.T, w *World, size int)) (size int) {
	defer alone()()
	for size := 1; size <= most; size++ {
		if _, failed := apart(seed, nil, func(t *testing.T, w *World) { program(t, w, size) }); failed {
			return size
		}
	}
	return 0
}

// apart runs program with that seed in a test of its own, which logs nothing and fails no other, also if all
// goroutines wait for good, or program panics. faults are those that happen, as in World.allow.
func apart(seed uint64, faults []int, program func(t *testing.T, w *World)) (w *World, failed bool) {
	failed = true // if the goroutine ends early
	done := make(chan struct{})
	go func() {
		defer close(done)
		defer func() { _ = recover() }() // a deadlock is a panic of synctest.Test
		t := new(testing.T)
		synctest.Test(t, func(t *testing.T) {
			w = NewWorld(t, seed)
			w.quiet = true
			w.allow(faults)
			defer w.panicked()
			program(t, w)
		})
		failed = t.Failed()
	}()
	<-done
	w.isOver()
	return w, failed
}

// repeats runs a program that has failed once more, and says in words what came of it.
func repeats(before *World, faults []int, program func(t *testing.T, w *World)) (text string, failed bool) {
	w, failed := apart(before.seed, faults, program)
	what := "fails again"
	if !failed {
		what = "does not fail again"
	}
	if d := difference(before.Trace(), w.Trace()); d != "" {
		return "the seed " + what + ", and makes another history, since the program makes choices that the world does not know: " + d, failed
	}
	return "the seed " + what + ", with the same history", failed
}
