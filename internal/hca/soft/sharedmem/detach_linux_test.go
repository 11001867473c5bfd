package sharedmem_test

import (
	"runtime"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/godapl/godapl/internal/hca"
	"github.com/godapl/godapl/internal/hca/soft/sharedmem"
	"github.com/godapl/godapl/internal/hca/soft/softtest"
)

// window binds a window to a whole region.
func window(t *testing.T, e *softtest.End, mr hca.MR) (hca.MW, hca.Key) {
	t.Helper()
	w, err := e.PD.NewWindow(hca.ZoneWindow)
	if err != nil {
		t.Fatal(err)
	}
	bind := hca.Bind{MW: w, MR: mr, Addr: mr.Addr(), Len: uint64(mr.Len()), Access: hca.RemoteWrite}
	e.Post(t, hca.SendWR{Op: hca.OpBind, Bind: &bind})
	return w, bind.Key
}

// TestShmNoKeyLeadsToMemoryThatIsDetached: a peer was stopped inside of a region. While the region's memory is detached
// from its file, no key of it can be used: not one whose rights change, and not a new one. Afterwards they can.
func TestShmNoKeyLeadsToMemoryThatIsDetached(t *testing.T) {
	t.Cleanup(sharedmem.StuckTime(0))
	_, b := softtest.Connect(t, "shm", 8, 64)
	var mr hca.MR
	var key, later hca.Key
	var changes sync.WaitGroup
	m := softtest.FileMemory(t, 4096)
	m.Detach = func() error {
		changes.Go(func() {
			if err := mr.(hca.Modifier).Modify(hca.LocalRead | hca.LocalWrite); err != nil {
				t.Error(err)
			}
		})
		for mr.RKey() != 0 {
			runtime.Gosched()
		}
		_, later = window(t, b, mr)
		for what, k := range map[string]hca.Key{"with other rights": key, "of a new window": later} {
			if _, usable := sharedmem.Listed(b.QP, k); usable {
				t.Errorf("the key %s can be used", what)
			}
		}
		return nil
	}
	var err error
	if mr, err = b.PD.Register(m, hca.AllAccess); err != nil {
		t.Fatal(err)
	}
	key = mr.RKey()
	w, inside := window(t, b, mr)
	sharedmem.StayInside(b.QP, inside)
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	changes.Wait()
	if later == 0 {
		t.Fatal("the memory was not detached")
	}
	for what, k := range map[string]hca.Key{"with other rights": key, "of a new window": later} {
		if _, usable := sharedmem.Listed(b.QP, k); !usable {
			t.Errorf("the key %s cannot be used afterwards", what)
		}
	}
}

// TestShmNobodyPassesADetachment: two windows are taken back, a peer was stopped inside of each, and both are in one
// region. Neither is taken back before the region's memory is detached.
func TestShmNobodyPassesADetachment(t *testing.T) {
	t.Cleanup(sharedmem.StuckTime(0))
	_, b := softtest.Connect(t, "shm", 8, 64)
	var second sync.WaitGroup
	var other hca.MW
	var detached atomic.Bool
	m := softtest.FileMemory(t, 4096)
	m.Detach = func() error {
		second.Go(func() {
			if err := other.Close(); err != nil {
				t.Error(err)
			}
			if !detached.Load() {
				t.Error("a window was taken back while its memory was the file's")
			}
		})
		for range 10_000 { // a wrong implementation has returned by then
			runtime.Gosched()
		}
		detached.Store(true)
		return nil
	}
	mr, err := b.PD.Register(m, hca.AllAccess)
	if err != nil {
		t.Fatal(err)
	}
	w, one := window(t, b, mr)
	var two hca.Key
	other, two = window(t, b, mr)
	sharedmem.StayInsideBoth(b.QP, one, two)
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	second.Wait()
	if !detached.Load() {
		t.Fatal("the memory was not detached")
	}
}
