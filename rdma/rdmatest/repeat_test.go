package rdmatest

import (
	"strings"
	"testing"
)

// TestAFailureIsRepeated: whether it fails again, and whether the history is another.
func TestAFailureIsRepeated(t *testing.T) {
	runs := 0
	for _, c := range []struct {
		program func(t *testing.T, w *World)
		want    []string
	}{
		{func(t *testing.T, w *World) { w.Note("same"); t.Fail() }, []string{"fails again", "the same history"}},
		{func(t *testing.T, w *World) { w.Note("run %d", runs); runs++; t.Fail() }, []string{"fails again", "another history", "step 0", "run 0", "run 1"}},
		{func(_ *testing.T, w *World) { w.Note("same") }, []string{"does not fail", "the same history"}},
	} {
		first, _ := apart(1, nil, c.program)
		got, _ := repeats(first, nil, c.program)
		for _, want := range c.want {
			if !strings.Contains(got, want) {
				t.Errorf("%q does not say %q", got, want)
			}
		}
	}
}

// TestAWorldThatPassesIsNotRepeated, also if the test has failed before.
func TestAWorldThatPassesIsNotRepeated(t *testing.T) {
	runs := 0
	done := make(chan struct{})
	go func() {
		defer close(done)
		defer func() { _ = recover() }() // such a test logs nothing
		failed := new(testing.T)
		failed.Fail()
		Worlds(failed, 2, func(*testing.T, *World) { runs++ })
	}()
	if <-done; runs != 2 {
		t.Errorf("2 worlds were run %d times", runs)
	}
}
