package rdmatest

import (
	"fmt"
	"os"
	"strconv"
	"testing"
	"testing/synctest"
)

// Variables of the environment.
const (
	seedVariable  = "GODAPL_WORLD_SEED"
	seedsVariable = "GODAPL_WORLD_SEEDS"
)

// Worlds runs program in n worlds, with the seeds 1 to n, each in a bubble of its own, one after the
// other. It stops at the first that fails, and logs its seed. It runs that once more, and logs whether it fails
// again, and with the same history. GODAPL_WORLD_SEEDS=100000 is another n,
// and GODAPL_WORLD_SEED=17 is that seed alone. With both, n seeds begin there.
//
// Meanwhile the process has one processor of Go (runtime.GOMAXPROCS), as in [Replay] and [Shorten]: goroutines that
// one step wakes then run in an order that repeats. A world whose goroutines go on for ever
// within one step, so that no time passes in it, fails, or ends the process after 100 seconds with its seed and steps.
// A panic of program, or of one of [Host.Run], ends the process, with the seed and the steps before it.
//
// program gets the test of its world, and must not use another.
func Worlds(t *testing.T, n int, program func(t *testing.T, w *World)) {
	t.Helper()
	defer alone()()
	first, n, err := seeds(n)
	if err != nil {
		t.Fatal(err)
	}
	faults, err := allowed()
	if err != nil {
		t.Fatal(err)
	}
	var w *World
	passed := false // t may have failed before, which says nothing of the last world
	defer func() {
		if passed || w == nil {
			return
		}
		p := recover() // of synctest.Test: goroutines wait for ever
		switch {
		case p == nil && !t.Failed():
			return
		case p != nil:
			defer panic(p)
			if !w.t.Failed() {
				t.Log(w.was())
			}
		}
		text, again := repeats(w, faults, program)
		t.Logf("rdmatest: run once more, %s", text)
		if again && faults == nil {
			if text = whichFaults(w, program); text != "" {
				t.Logf("rdmatest: %s", text)
			}
		}
	}()
	for i := range n {
		synctest.Test(t, func(t *testing.T) {
			w = NewWorld(t, first+uint64(i))
			w.allow(faults)
			defer w.panicked()
			program(t, w)
		})
		w.isOver()
	}
	passed = true
}

// seeds is the first seed, and how many there are: n, unless the environment says otherwise.
func seeds(n int) (first uint64, many int, err error) {
	first = 1
	if text := os.Getenv(seedVariable); text != "" {
		if first, err = strconv.ParseUint(text, 10, 64); err != nil {
			return 0, 0, fmt.Errorf("rdmatest: %s=%s: want a seed, as a failed world logs it", seedVariable, text)
		}
		n = 1
	}
	if text := os.Getenv(seedsVariable); text != "" {
		if n, err = strconv.Atoi(text); err != nil || n < 1 {
			return 0, 0, fmt.Errorf("rdmatest: %s=%s: want the number of worlds, from 1", seedsVariable, text)
		}
	}
	return first, n, nil
}

// Replay runs program twice in worlds of the same seed, and reports the first step that differs, or
// "" if the histories are the same. A difference is no failure: then the program itself makes choices
// that the world does not know (goroutines that race, select, the order of maps, random numbers of its own), and a
// seed of its does not repeat a failure for certain.
func Replay(t *testing.T, seed uint64, program func(t *testing.T, w *World)) (differs string) {
	t.Helper()
	defer alone()()
	var traces [2][]string
	var hashes [2]uint64
	for i := range traces {
		var w *World
		synctest.Test(t, func(t *testing.T) {
			w = NewWorld(t, seed)
			defer w.panicked()
			program(t, w)
		})
		w.isOver()
		traces[i], hashes[i] = w.Trace(), w.Hash()
	}
	if hashes[0] == hashes[1] {
		return ""
	}
	return difference(traces[0], traces[1])
}

// difference is the first step in which two histories differ, or "".
func difference(a, b []string) string {
	for i := range min(len(a), len(b)) {
		if a[i] != b[i] {
			return "step " + strconv.Itoa(i) + " was\n\t" + a[i] + "\nand then\n\t" + b[i]
		}
	}
	if len(a) == len(b) {
		return ""
	}
	return "one history has " + strconv.Itoa(len(a)) + " steps, and the other " + strconv.Itoa(len(b))
}
