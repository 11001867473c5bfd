package rdmatest_test

import (
	"bytes"
	"os"
	"strconv"
	"testing"

	"github.com/godapl/godapl/internal/race"
	"github.com/godapl/godapl/rdma/rdmatest"
)

// mostSteps is how many operations an end makes at most; stepsVariable is a smaller number.
const (
	mostSteps     = 13
	stepsVariable = "GODAPL_WORLD_STEPS"
)

// descriptors is how many the process has; 0 where the system does not say.
func descriptors() int {
	all, _ := os.ReadDir("/proc/self/fd")
	return len(all)
}

// TestPrograms runs programs that are drawn at random, in worlds of their own. One that fails is
// tried with fewer operations.
func TestPrograms(t *testing.T) {
	n := 300
	if race.Enabled {
		n = 60
	}
	kinds, fired, steps, worlds := map[string]int{}, map[string]int{}, 0, 0
	seed := uint64(0)
	t.Cleanup(func() {
		if t.Failed() {
			t.Logf("seed %d fails", seed) // it may end the process
			n := rdmatest.Shorten(seed, mostSteps, func(t *testing.T, w *rdmatest.World, n int) { runProgram(t, w, n) })
			t.Logf("seed %d fails with %d steps an end, too (0: with no fewer): %s=%d", seed, n, stepsVariable, n)
		}
	})
	most, err := strconv.Atoi(os.Getenv(stepsVariable))
	if err != nil {
		most = mostSteps
	}
	before := descriptors()
	rdmatest.Worlds(t, n, func(t *testing.T, w *rdmatest.World) {
		if now := descriptors(); now > before { // of the world before this one
			t.Errorf("%d descriptors are left of a world", now-before)
		}
		seed = w.Seed()
		kinds[runProgram(t, w, most)]++
		steps += len(w.Trace())
		worlds++
		for kind, n := range w.Fired() {
			fired[kind] += n
		}
	})
	if maps, err := os.ReadFile("/proc/self/maps"); err == nil && bytes.Contains(maps, []byte("memfd:godapl")) {
		t.Errorf("memory is still mapped:\n%s", maps)
	}
	t.Logf("%d worlds, %d steps; programs with: %v; happened: %v", worlds, steps, kinds, fired)
	if worlds >= 5000 {
		if fired["latency"] == 0 { // by chance only
			t.Errorf("no latency in %d worlds", worlds)
		}
		for _, op := range programOps {
			if kind := "fail " + op.String(); fired[kind] == 0 {
				t.Errorf("no %s in %d worlds", kind, worlds)
			}
		}
		for call := range callNames {
			if kind := "fail " + call; fired[kind] == 0 {
				t.Errorf("no %s in %d worlds", kind, worlds)
			}
		}
	}
	if worlds >= 300 {
		for _, kind := range []string{"cut", "partition", "heal", "end", "stop", "continue", "slow reader", "kill", "late", "receive missing",
			"revoke in flight", "fail register memory", "async overflow", "async adapter failed", "async port down", "async port up", "restart", "revoke"} {
			if fired[kind] == 0 {
				t.Errorf("no %s in %d worlds", kind, worlds)
			}
		}
	}
}
