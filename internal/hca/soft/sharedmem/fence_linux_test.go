package sharedmem_test

import (
	"testing"

	"github.com/godapl/godapl/internal/hca"
	"github.com/godapl/godapl/internal/hca/soft/sharedmem"
	"github.com/godapl/godapl/internal/hca/soft/softtest"
)

// TestShmFencedPlainSend: the fast path of a message, too, waits for a read that the peer answers.
func TestShmFencedPlainSend(t *testing.T) {
	defer sharedmem.WithoutProcessMemory()()
	a, b := softtest.Connect(t, "shm", 8, 256)
	seg := func(e *softtest.End, off uint64) hca.Segment {
		return hca.Segment{Addr: e.MR.Addr() + off, Len: 8, Key: e.MR.LKey()}
	}
	copy(b.Mem, "the data")
	if err := b.QP.PostRecv(hca.RecvWR{Local: seg(b, 64)}); err != nil {
		t.Fatal(err)
	}
	if err := a.QP.PostSend(hca.SendWR{Op: hca.OpRead, Local: seg(a, 0), Remote: b.MR.Addr(), RKey: b.MR.RKey()}); err != nil {
		t.Fatal(err)
	}
	if err := a.QP.(hca.PlainPoster).PostPlainSend(1, hca.Fence, seg(a, 0)); err != nil {
		t.Fatal(err)
	}
	a.Ended(t)
	a.Ended(t)
	var wcs [1]hca.WC
	for b.RecvCQ.Poll(wcs[:]) == 0 {
	}
	if got := string(b.Mem[64:72]); wcs[0].Status != hca.StatusOK || got != "the data" {
		t.Fatalf("%+v, %q", wcs[0], got)
	}
}
