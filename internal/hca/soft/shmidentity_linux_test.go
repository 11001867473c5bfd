package soft_test

import (
	"testing"

	"github.com/godapl/godapl/internal/hca"
	"github.com/godapl/godapl/internal/hca/soft"
)

// TestShmFilesOfEqualInodes: files on two devices may have the same number, and the peer
// maps the one that the key is for.
func TestShmFilesOfEqualInodes(t *testing.T) {
	const size = 8192
	defer soft.WithoutProcessMemory()() // what is not mapped is asked for
	defer soft.SameInodes()()
	a, b := connect(t, "shm", 8, size)
	var mrs [2]hca.MR
	var memory [2]hca.Memory
	for i := range mrs {
		memory[i] = fileMemory(t, size)
		var err error
		if mrs[i], err = b.pd.Register(memory[i], hca.AllAccess); err != nil {
			t.Fatal(err)
		}
	}
	for i, mr := range mrs {
		for !soft.Mapped(a.qp, mr.RKey()) {
			a.mem[0] = byte(i + 1)
			a.post(t, hca.SendWR{Op: hca.OpWrite, Local: hca.Segment{Addr: a.mr.Addr(), Len: 8, Key: a.mr.LKey()}, Remote: mr.Addr(), RKey: mr.RKey()})
		}
		a.mem[0] = byte(i + 11)
		a.post(t, hca.SendWR{Op: hca.OpWrite, Local: hca.Segment{Addr: a.mr.Addr(), Len: 8, Key: a.mr.LKey()}, Remote: mr.Addr(), RKey: mr.RKey()})
	}
	for i := range memory {
		if got := memory[i].Bytes[0]; got != byte(i+11) {
			t.Errorf("region %d begins with %d, written was %d", i, got, i+11)
		}
	}
}
