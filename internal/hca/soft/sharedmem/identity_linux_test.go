package sharedmem_test

import (
	"testing"

	"github.com/godapl/godapl/internal/hca"
	"github.com/godapl/godapl/internal/hca/soft/sharedmem"
	"github.com/godapl/godapl/internal/hca/soft/softtest"
)

// TestShmFilesOfEqualInodes: files on two devices may have the same inode number; the peer maps the one to
// which the key belongs.
func TestShmFilesOfEqualInodes(t *testing.T) {
	const size = 8192
	defer sharedmem.WithoutProcessMemory()() // without a mapping, the peer is asked
	defer sharedmem.SameInodes()()
	a, b := softtest.Connect(t, "shm", 8, size)
	var mrs [2]hca.MR
	var memory [2]hca.Memory
	for i := range mrs {
		memory[i] = softtest.FileMemory(t, size)
		var err error
		if mrs[i], err = b.PD.Register(memory[i], hca.AllAccess); err != nil {
			t.Fatal(err)
		}
	}
	for i, mr := range mrs {
		for !sharedmem.Mapped(a.QP, mr.RKey()) {
			a.Mem[0] = byte(i + 1)
			a.Post(t, hca.SendWR{Op: hca.OpWrite, Local: hca.Segment{Addr: a.MR.Addr(), Len: 8, Key: a.MR.LKey()}, Remote: mr.Addr(), RKey: mr.RKey()})
		}
		a.Mem[0] = byte(i + 11)
		a.Post(t, hca.SendWR{Op: hca.OpWrite, Local: hca.Segment{Addr: a.MR.Addr(), Len: 8, Key: a.MR.LKey()}, Remote: mr.Addr(), RKey: mr.RKey()})
	}
	for i := range memory {
		if got := memory[i].Bytes[0]; got != byte(i+11) {
			t.Errorf("region %d begins with %d, written was %d", i, got, i+11)
		}
	}
}
