package rdmatest_test

import (
	"context"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/godapl/godapl/rdma/rdmatest"
)

// panicVariable says how the program of TestAPanicSaysItsSeed ends, in a process of its own.
const panicVariable = "GODAPL_TEST_PANIC"

// panics are programs that end the process.
var panics = map[string]func(w *rdmatest.World){
	"program": func(*rdmatest.World) { panic("of a test") },
	"host": func(w *rdmatest.World) {
		w.Host("client").Run(func(context.Context) { panic("of a test") })
		w.Settle()
	},
	"goroutine left": func(*rdmatest.World) { go func() { select {} }() },
}

// TestAPanicSaysItsSeed: the process ends, and prints which world it was and its last steps.
func TestAPanicSaysItsSeed(t *testing.T) {
	if how := os.Getenv(panicVariable); how != "" {
		rdmatest.Worlds(t, 3, func(_ *testing.T, w *rdmatest.World) {
			w.Pair(w.Host("client"), w.Host("server"))
			if w.Seed() == 2 {
				panics[how](w)
			}
		})
		return
	}
	for how := range panics {
		child := exec.Command(os.Args[0], "-test.run=^TestAPanicSaysItsSeed$")
		child.Env = append(os.Environ(), panicVariable+"="+how, "GODAPL_WORLD_SEED=1", "GODAPL_WORLD_SEEDS=3")
		text, err := child.CombinedOutput()
		for _, want := range []string{"this was seed 2,", "deliver client>server", "panic: "} {
			if err == nil || !strings.Contains(string(text), want) {
				t.Errorf("%s: %v, without %q:\n%s", how, err, want, text)
			}
		}
	}
}

// TestShortenCountsAPanic: as a failure, of a program and of a host's, and the process goes on.
func TestShortenCountsAPanic(t *testing.T) {
	for _, how := range []string{"program", "host"} {
		n := rdmatest.Shorten(1, 3, func(_ *testing.T, w *rdmatest.World, size int) {
			if size == 2 {
				panics[how](w)
			}
		})
		if n != 2 {
			t.Errorf("%s: %d", how, n)
		}
	}
}
