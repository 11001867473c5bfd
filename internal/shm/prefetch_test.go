package shm_test

import (
	"testing"

	"github.com/godapl/godapl/internal/shm"
)

// TestPrefetchAnything: a hint may name what is not there.
func TestPrefetchAnything(t *testing.T) {
	for _, addr := range []uint64{0, 1, 4095, 1 << 47, 1<<63 - 1, 1 << 63, ^uint64(0)} {
		shm.PrefetchStore(addr)
	}
}
