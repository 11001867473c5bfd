package rdmatest

import (
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
// one step wakes then run in an order of their own making, which they repeat. A world whose goroutines go on for ever
// within one step, so that no time passes in it, fails, or ends the process after 100 seconds with its seed and steps.
//
// program gets the test of its world, and must not use another.
func Worlds(t *testing.T, n int, program func(t *testing.T, w *World)) {
	t.Helper()
	defer alone()()
	first := uint64(1)
	if s, err := strconv.ParseUint(os.Getenv(seedVariable), 10, 64); err == nil {
		first, n = s, 1
	}
	if s, err := strconv.Atoi(os.Getenv(seedsVariable)); err == nil {
		n = s
	}
	faults, err := allowed()
	if err != nil {
		t.Fatal(err)
	}
	var w *World
	defer func() {
		if !t.Failed() || w == nil {
			return
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
			program(t, w)
		})
	}
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
			program(t, w)
		})
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
