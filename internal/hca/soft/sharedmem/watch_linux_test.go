package sharedmem_test

import (
	"runtime"
	"testing"
	"time"

	"github.com/godapl/godapl/internal/hca"
	"github.com/godapl/godapl/internal/hca/soft/sharedmem"
	"github.com/godapl/godapl/internal/hca/soft/softtest"
)

// TestShmSleeperIsWokenByTheDoorbell: the peer's acknowledgement itself wakes a consumer that sleeps for a
// completion, also if another goroutine has run the connection since and does not run it again. The watch,
// which would find it later, is stopped.
func TestShmSleeperIsWokenByTheDoorbell(t *testing.T) {
	a, b := softtest.Connect(t, "shm", 8, 4096)
	sharedmem.WithoutWatch(a.A)
	seg := func(e *softtest.End) hca.Segment { return hca.Segment{Addr: e.MR.Addr(), Len: 8, Key: e.MR.LKey()} }
	var wcs [4]hca.WC
	for round := range 200 {
		if err := b.QP.PostRecv(hca.RecvWR{Local: seg(b)}); err != nil {
			t.Fatal(err)
		}
		if err := b.RecvCQ.Arm(); err != nil { // the peer is woken, too
			t.Fatal(err)
		}
		if err := a.SendCQ.Arm(); err != nil {
			t.Fatal(err)
		}
		a.RecvCQ.Poll(wcs[:])
		if err := a.QP.PostSend(hca.SendWR{Op: hca.OpSend, Local: seg(a)}); err != nil {
			t.Fatal(err)
		}
		for range round % 4 {
			a.RecvCQ.Poll(wcs[:])
		}
		select {
		case <-a.Sent:
		case <-time.After(30 * time.Second):
			t.Fatalf("round %d: the sleeper was not woken", round)
		}
		for _, cq := range []hca.CQ{a.SendCQ, b.RecvCQ} {
			n := cq.Poll(wcs[:])
			for cq == b.RecvCQ && n == 0 { // the peer acknowledges first, and then has its completion
				runtime.Gosched()
				n = cq.Poll(wcs[:])
			}
			if n != 1 || wcs[0].Status != hca.StatusOK {
				t.Fatalf("round %d: %d entries, %+v", round, n, wcs[0])
			}
		}
	}
}
