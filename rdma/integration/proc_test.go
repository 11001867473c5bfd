package integration_test

import (
	"bytes"
	"fmt"
	"os"
	"runtime"
	"testing"
)

// holdings is what a process can leak without its memory telling. Those that
// the system does not show are -1.
type holdings struct{ goroutines, descriptors, mappings int }

func held() holdings {
	h := holdings{runtime.NumGoroutine(), -1, -1}
	if d, err := os.ReadDir("/proc/self/fd"); err == nil {
		h.descriptors = len(d) - 1 // one is the directory's
	}
	if b, err := os.ReadFile("/proc/self/maps"); err == nil {
		h.mappings = bytes.Count(b, []byte("\n"))
	}
	return h
}

func (h holdings) String() string {
	return fmt.Sprintf("%d goroutines, %d descriptors, %d mappings", h.goroutines, h.descriptors, h.mappings)
}

// heldAtMost is what is held in a stretch of time in which goroutines come and
// go: the most of each.
func heldAtMost(t testing.TB) holdings {
	most, n := held(), 0
	eventually(t, "", func() bool {
		now := held()
		most = holdings{max(most.goroutines, now.goroutines), max(most.descriptors, now.descriptors), max(most.mappings, now.mappings)}
		n++
		return n == 20
	})
	return most
}

// noMore waits until no more is held than before, but for the mappings, of which
// the Go runtime makes some of its own, so that slack of them is allowed.
func noMore(t testing.TB, before holdings, slack int) {
	t.Helper()
	var now holdings
	eventuallyOr(t, func() bool {
		now = held()
		return now.goroutines <= before.goroutines && now.descriptors <= before.descriptors
	}, func() string { return fmt.Sprintf("held now: %v; before: %v", now, before) })
	if now.mappings > before.mappings+slack {
		t.Errorf("held now: %v; before: %v, and %d more mappings are allowed", now, before, slack)
	}
	t.Logf("held before: %v; now: %v", before, now)
}
