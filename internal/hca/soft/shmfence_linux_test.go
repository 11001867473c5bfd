package soft_test

import (
	"testing"

	"github.com/godapl/godapl/internal/hca"
	"github.com/godapl/godapl/internal/hca/soft"
)

// TestShmFencedPlainSend: the short way of a message, too, waits for a read that the peer
// answers.
func TestShmFencedPlainSend(t *testing.T) {
	defer soft.WithoutProcessMemory()()
	a, b := connect(t, "shm", 8, 256)
	seg := func(e *end, off uint64) hca.Segment {
		return hca.Segment{Addr: e.mr.Addr() + off, Len: 8, Key: e.mr.LKey()}
	}
	copy(b.mem, "the data")
	if err := b.qp.PostRecv(hca.RecvWR{Local: seg(b, 64)}); err != nil {
		t.Fatal(err)
	}
	if err := a.qp.PostSend(hca.SendWR{Op: hca.OpRead, Local: seg(a, 0), Remote: b.mr.Addr(), RKey: b.mr.RKey()}); err != nil {
		t.Fatal(err)
	}
	if err := a.qp.(hca.PlainPoster).PostPlainSend(1, hca.Fence, seg(a, 0)); err != nil {
		t.Fatal(err)
	}
	a.ended(t)
	a.ended(t)
	var wcs [1]hca.WC
	for b.rcq.Poll(wcs[:]) == 0 {
	}
	if got := string(b.mem[64:72]); wcs[0].Status != hca.StatusOK || got != "the data" {
		t.Fatalf("%+v, %q", wcs[0], got)
	}
}
