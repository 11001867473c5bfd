package rdmatest_test

import (
	"testing"

	"github.com/godapl/godapl/internal/race"
	"github.com/godapl/godapl/rdma/rdmatest"
)

// The seed does not decide the order of goroutines within a step. On a machine with much other work, one of them may
// lose its processor in the middle of a step, so a few histories may differ. With a choice that the seed does
// not decide, most do.

// TestTheSameSeedIsTheSameHistory, for messages that go there and back.
func TestTheSameSeedIsTheSameHistory(t *testing.T) {
	sameHistories(t, 100, func(t *testing.T, w *rdmatest.World) { talk(t, w, 5) })
}

// TestProgramsRepeat: so is that of programs with many connections and faults.
func TestProgramsRepeat(t *testing.T) {
	if race.Enabled {
		t.Skip("with the race detector, Go's scheduler draws the order of goroutines")
	}
	sameHistories(t, 60, func(t *testing.T, w *rdmatest.World) { runProgram(t, w, mostSteps) })
}

func sameHistories(t *testing.T, n int, program func(*testing.T, *rdmatest.World)) {
	var differ []string
	for seed := range uint64(n) {
		if d := rdmatest.Replay(t, seed+1, program); d != "" {
			differ = append(differ, d)
		}
	}
	t.Logf("%d of %d histories differ: %v", len(differ), n, differ)
	if len(differ) > n/4 {
		t.Errorf("%d of %d seeds made two histories; of the first, %s", len(differ), n, differ[0])
	}
}
