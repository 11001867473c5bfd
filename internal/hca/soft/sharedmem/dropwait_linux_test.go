package sharedmem_test

import (
	"runtime"
	"sync/atomic"
	"testing"

	"github.com/godapl/godapl/internal/hca"
	"github.com/godapl/godapl/internal/hca/soft/sharedmem"
	"github.com/godapl/godapl/internal/hca/soft/softtest"
)

// TestShmARegionStaysForADetachment: memory is detached because of a peer of one adapter. Another adapter has a region over
// it, and does not lose it, nor what comes after that, before its key directory has been changed.
func TestShmARegionStaysForADetachment(t *testing.T) {
	t.Cleanup(sharedmem.StuckTime(0))
	_, b := softtest.Connect(t, "shm", 8, 64)
	_, d := softtest.Connect(t, "shm", 8, 64)
	m := softtest.FileMemory(t, 4096)
	var other hca.MR
	var over atomic.Bool
	closed := make(chan struct{})
	m.Detach = func() error {
		go func() {
			defer close(closed)
			if err := other.Close(); err != nil || !over.Load() {
				t.Errorf("closed after the detachment: %v, %v", over.Load(), err)
			}
		}()
		for range 10_000 { // a wrong implementation has returned by then
			runtime.Gosched()
		}
		over.Store(true)
		return nil
	}
	first, err := b.PD.Register(m, hca.AllAccess)
	if err != nil {
		t.Fatal(err)
	}
	if other, err = d.PD.Register(m, hca.AllAccess); err != nil {
		t.Fatal(err)
	}
	w, inside := window(t, b, first)
	sharedmem.StayInside(b.QP, inside)
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	<-closed
}
