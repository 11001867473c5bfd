package soft_test

import (
	"testing"

	"github.com/godapl/godapl/internal/hca"
	"github.com/godapl/godapl/internal/hca/soft"
)

// TestShmTurns: a turn over shared memory is bounded by what it moves. That it handles not
// too many frames the ring sees to, which has not many.
func TestShmTurns(t *testing.T) {
	const n, each = 32, 300 << 10
	a, b := connect(t, "shm", n, each)
	turn, release := soft.HoldRx(b.qp)
	for range n {
		if err := b.qp.PostRecv(hca.RecvWR{Local: hca.Segment{Addr: b.mr.Addr(), Len: each, Key: b.mr.LKey()}}); err != nil {
			t.Fatal(err)
		}
		if err := a.qp.PostSend(hca.SendWR{Op: hca.OpSend, Local: hca.Segment{Addr: a.mr.Addr(), Len: each, Key: a.mr.LKey()}}); err != nil {
			t.Fatal(err)
		}
	}
	more := turn()
	var wcs [n]hca.WC
	got := b.rcq.Poll(wcs[:])
	release()
	if !more || got == 0 || got*each > soft.ShmBytes+each {
		t.Errorf("a turn had %d messages of %d bytes, and more is %v", got, each, more)
	}
}
