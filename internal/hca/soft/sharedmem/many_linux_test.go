package sharedmem_test

import (
	"testing"

	"github.com/godapl/godapl/internal/hca"
	"github.com/godapl/godapl/internal/hca/soft/sharedmem"
	"github.com/godapl/godapl/internal/hca/soft/softtest"
)

// TestShmMappedFilesAreClosed: a mapping needs no descriptor; there are fewer descriptors than regions.
func TestShmMappedFilesAreClosed(t *testing.T) {
	const size, regions = 4096, 60
	a, b := softtest.Connect(t, "shm", 8, size)
	var mrs [regions]hca.MR
	for i := range mrs {
		var err error
		if mrs[i], err = b.PD.Register(softtest.FileMemory(t, size), hca.AllAccess); err != nil {
			t.Fatal(err)
		}
	}
	before := softtest.Descriptors(t)
	for _, mr := range mrs {
		for !sharedmem.Mapped(a.QP, mr.RKey()) {
			a.Post(t, hca.SendWR{Op: hca.OpWrite, Local: hca.Segment{Addr: a.MR.Addr(), Len: 8, Key: a.MR.LKey()}, Remote: mr.Addr(), RKey: mr.RKey()})
		}
	}
	if n := softtest.Descriptors(t); n > before+4 {
		t.Errorf("%d descriptors, and %d before %d regions were mapped", n, before, regions)
	}
}

// TestShmMappingsOfAllPeersAreBounded: beyond the bound, the peer's side does the writing.
func TestShmMappingsOfAllPeersAreBounded(t *testing.T) {
	const size = 4096
	a, b := softtest.Connect(t, "shm", 8, size)
	m := softtest.FileMemory(t, size)
	mr, err := b.PD.Register(hca.Memory{Bytes: m.Bytes, File: m.File, Offset: m.Offset, Own: true}, hca.AllAccess)
	if err != nil {
		t.Fatal(err)
	}
	write := func(v byte) {
		t.Helper()
		a.Mem[0] = v
		a.Post(t, hca.SendWR{Op: hca.OpWrite, Local: hca.Segment{Addr: a.MR.Addr(), Len: 8, Key: a.MR.LKey()}, Remote: mr.Addr(), RKey: mr.RKey()})
		if m.Bytes[0] != v {
			t.Fatalf("%d has been written, %d is there", v, m.Bytes[0])
		}
	}
	undo := sharedmem.NoMoreMappings()
	for v := range byte(100) {
		write(v + 1)
		if sharedmem.Mapped(a.QP, mr.RKey()) {
			t.Fatal("more was mapped")
		}
	}
	undo()
	for !sharedmem.Mapped(a.QP, mr.RKey()) {
		write(200)
	}
}
