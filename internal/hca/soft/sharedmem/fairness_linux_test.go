package sharedmem_test

import (
	"testing"

	"github.com/godapl/godapl/internal/hca"
	"github.com/godapl/godapl/internal/hca/soft/sharedmem"
	"github.com/godapl/godapl/internal/hca/soft/softtest"
)

// TestShmRunIsBounded: one run over shared memory is bounded by the bytes that it moves. The ring bounds the frames,
// because it has few slots.
func TestShmRunIsBounded(t *testing.T) {
	const n, each = 32, 300 << 10
	a, b := softtest.Connect(t, "shm", n, each)
	run, release := sharedmem.HoldRx(b.QP)
	for range n {
		if err := b.QP.PostRecv(hca.RecvWR{Local: hca.Segment{Addr: b.MR.Addr(), Len: each, Key: b.MR.LKey()}}); err != nil {
			t.Fatal(err)
		}
		if err := a.QP.PostSend(hca.SendWR{Op: hca.OpSend, Local: hca.Segment{Addr: a.MR.Addr(), Len: each, Key: a.MR.LKey()}}); err != nil {
			t.Fatal(err)
		}
	}
	more := run()
	var wcs [n]hca.WC
	got := b.RecvCQ.Poll(wcs[:])
	release()
	if !more || got == 0 || got*each > sharedmem.ShmBytes+each {
		t.Errorf("a run had %d messages of %d bytes, and more is %v", got, each, more)
	}
}
