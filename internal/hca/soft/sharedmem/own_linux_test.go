package sharedmem_test

import (
	"testing"

	"github.com/godapl/godapl/internal/hca"
	"github.com/godapl/godapl/internal/hca/soft/sharedmem"
	"github.com/godapl/godapl/internal/hca/soft/softtest"
)

// TestShmOwnMemoryIsNotWrittenThroughTheKernel: memory that the library allocates may belong to another region
// after it is freed, and a system call of a stopped peer cannot be stopped. The program's own slices are still
// written in this way.
func TestShmOwnMemoryIsNotWrittenThroughTheKernel(t *testing.T) {
	const size = 64 << 10
	a, b := softtest.Connect(t, "shm", 8, size)
	for _, own := range []bool{false, true} {
		mr, err := b.PD.Register(hca.Memory{Bytes: make([]byte, size), Own: own}, hca.AllAccess)
		if err != nil {
			t.Fatal(err)
		}
		if !sharedmem.Seen(a.QP, mr.RKey(), hca.RemoteRead) {
			t.Skip("the kernel lets no process at another's memory")
		}
		if seen := sharedmem.Seen(a.QP, mr.RKey(), hca.RemoteWrite); seen == own {
			t.Errorf("own %v: the peer writes by itself: %v", own, seen)
		}
	}
}

// TestShmFileIsForItsZone: a peer that names a file of another protection domain does not get it.
func TestShmFileIsForItsZone(t *testing.T) {
	_, b := softtest.Connect(t, "shm", 8, 4096)
	other, err := b.A.NewPD()
	if err != nil {
		t.Fatal(err)
	}
	mine, theirs := softtest.FileMemory(t, 4096), softtest.FileMemory(t, 4096)
	for _, r := range []struct {
		pd hca.PD
		m  hca.Memory
	}{{b.PD, mine}, {other, theirs}} {
		mr, err := r.pd.Register(r.m, hca.AllAccess)
		if err != nil {
			t.Fatal(err)
		}
		defer mr.Close()
	}
	if !sharedmem.Given(t, b.QP, sharedmem.FileID(int(mine.File))) {
		t.Error("a file of the peer's zone is refused")
	}
	if sharedmem.Given(t, b.QP, sharedmem.FileID(int(theirs.File))) {
		t.Error("a file of another zone is given")
	}
}
