package sharedmem_test

import (
	"testing"

	"github.com/godapl/godapl/internal/hca"
	"github.com/godapl/godapl/internal/hca/soft/sharedmem"
	"github.com/godapl/godapl/internal/hca/soft/softtest"
)

// TestShmAStoppedPeerIsInItsOwnZone: a peer says at the end that it is in the middle of an access. That takes memory of the
// connection's zone from its file, and no other: all peers see the keys of all zones.
func TestShmAStoppedPeerIsInItsOwnZone(t *testing.T) {
	t.Cleanup(sharedmem.StuckTime(0))
	for _, own := range []bool{true, false} {
		a, b := softtest.Connect(t, "shm", 8, 64)
		pd := b.PD
		if !own {
			var err error
			if pd, err = b.A.NewPD(); err != nil {
				t.Fatal(err)
			}
		}
		m, detached := softtest.FileMemory(t, 4096), false
		m.Detach = func() error { detached = true; return nil }
		mr, err := pd.Register(m, hca.AllAccess)
		if err != nil {
			t.Fatal(err)
		}
		sharedmem.StayInside(b.QP, mr.RKey())
		_, release := sharedmem.HoldRx(a.QP) // it does not hang up
		if err := b.QP.Close(); err != nil {
			t.Fatal(err)
		}
		release()
		if detached != own {
			t.Errorf("memory of its own zone %v: detached %v", own, detached)
		}
	}
}
