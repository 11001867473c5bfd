package integration_test

import (
	"bytes"
	"fmt"
	"os"
	"runtime"
	"runtime/pprof"
	"strings"
	"testing"

	"github.com/godapl/godapl/internal/race"
)

// holdings are the resources of a process, besides memory, that it can leak. A count that the
// system does not show is -1. Mappings of threads are not counted.
type holdings struct{ goroutines, descriptors, mappings, shared int }

// threadMappings is how many mappings a thread has that the C library started: its
// stack and its arena, each with a part that nobody may touch. How many threads there
// are is the Go runtime's choice, and it keeps them.
const threadMappings = 4

func held() holdings {
	h := holdings{runtime.NumGoroutine(), -1, -1, -1}
	if d, err := os.ReadDir("/proc/self/fd"); err == nil {
		h.descriptors = len(d) - 1 // one is the directory's
	}
	if b, err := os.ReadFile("/proc/self/maps"); err == nil {
		h.shared = bytes.Count(b, []byte("/memfd:"))
		if !race.Enabled { // the detector maps memory as it likes
			h.mappings = bytes.Count(b, []byte("\n"))
			if d, err := os.ReadDir("/proc/self/task"); err == nil {
				h.mappings -= threadMappings * len(d)
			}
		}
	}
	return h
}

func (h holdings) String() string {
	return fmt.Sprintf("%d goroutines, %d descriptors, %d mappings, %d of shared memory", h.goroutines, h.descriptors, h.mappings, h.shared)
}

// heldAtMost is what is held in a stretch of time in which goroutines come and
// go: the most of each.
func heldAtMost(t testing.TB) holdings {
	most, n := held(), 0
	eventually(t, "", func() bool {
		now := held()
		most = holdings{max(most.goroutines, now.goroutines), max(most.descriptors, now.descriptors), max(most.mappings, now.mappings), max(most.shared, now.shared)}
		n++
		return n == 20
	})
	return most
}

// noMore waits until no more is held than before. It allows for workers of
// adapters that started meanwhile and are kept, for the queues of a bystander, each
// of which takes a descriptor when somebody first sleeps for it, and for so many
// mappings, of which the Go runtime makes some of its own.
func noMore(t testing.TB, before holdings, mappings int) {
	t.Helper()
	workers := 2 * max(2, runtime.GOMAXPROCS(0)) // of two adapters
	const queues = 4
	var now holdings
	eventuallyOr(t, func() bool {
		now = held()
		return now.goroutines <= before.goroutines+workers && now.descriptors <= before.descriptors+queues && now.shared <= before.shared
	}, func() string { return fmt.Sprintf("held now: %v; before: %v;\n%s", now, before, stacks()) })
	if now.mappings > before.mappings+mappings {
		t.Errorf("held now: %v; before: %v, and %d more mappings are allowed", now, before, mappings)
	}
	t.Logf("held before: %v; now: %v", before, now)
}

// stacks returns the stacks of all goroutines, equal ones together.
func stacks() string {
	var b strings.Builder
	pprof.Lookup("goroutine").WriteTo(&b, 1)
	return b.String()
}
