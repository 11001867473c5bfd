package soft_test

import (
	"testing"

	"github.com/godapl/godapl/internal/hca"
	"github.com/godapl/godapl/internal/hca/soft"
)

// TestShmMappedFilesAreClosed: what is mapped needs no descriptor, of which there are fewer
// than regions.
func TestShmMappedFilesAreClosed(t *testing.T) {
	const size, regions = 4096, 60
	a, b := connect(t, "shm", 8, size)
	var mrs [regions]hca.MR
	for i := range mrs {
		var err error
		if mrs[i], err = b.pd.Register(fileMemory(t, size), hca.AllAccess); err != nil {
			t.Fatal(err)
		}
	}
	before := descriptors(t)
	for _, mr := range mrs {
		for !soft.Mapped(a.qp, mr.RKey()) {
			a.post(t, hca.SendWR{Op: hca.OpWrite, Local: hca.Segment{Addr: a.mr.Addr(), Len: 8, Key: a.mr.LKey()}, Remote: mr.Addr(), RKey: mr.RKey()})
		}
	}
	if n := descriptors(t); n > before+4 {
		t.Errorf("%d descriptors, and %d before %d regions were mapped", n, before, regions)
	}
}

// TestShmMappingsOfAllPeersAreBounded: beyond the bound the peer's side does the writing.
func TestShmMappingsOfAllPeersAreBounded(t *testing.T) {
	const size = 4096
	a, b := connect(t, "shm", 8, size)
	m := fileMemory(t, size)
	mr, err := b.pd.Register(hca.Memory{Bytes: m.Bytes, File: m.File, Offset: m.Offset, Own: true}, hca.AllAccess)
	if err != nil {
		t.Fatal(err)
	}
	write := func(v byte) {
		t.Helper()
		a.mem[0] = v
		a.post(t, hca.SendWR{Op: hca.OpWrite, Local: hca.Segment{Addr: a.mr.Addr(), Len: 8, Key: a.mr.LKey()}, Remote: mr.Addr(), RKey: mr.RKey()})
		if m.Bytes[0] != v {
			t.Fatalf("%d has been written, %d is there", v, m.Bytes[0])
		}
	}
	undo := soft.NoMoreMappings()
	for v := range byte(100) {
		write(v + 1)
		if soft.Mapped(a.qp, mr.RKey()) {
			t.Fatal("more was mapped")
		}
	}
	undo()
	for !soft.Mapped(a.qp, mr.RKey()) {
		write(200)
	}
}
