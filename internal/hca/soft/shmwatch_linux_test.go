package soft_test

import (
	"testing"
	"time"

	"github.com/godapl/godapl/internal/hca"
	"github.com/godapl/godapl/internal/hca/soft"
)

// TestShmSleeperIsWokenByTheBell: who sleeps for a completion is woken by the peer's
// acknowledgement itself, also if somebody else has looked at the connection since and
// does not look again. The watch, which would find it later, stands still.
func TestShmSleeperIsWokenByTheBell(t *testing.T) {
	a, b := connect(t, "shm", 8, 4096)
	soft.WithoutWatch(a.a)
	seg := func(e *end) hca.Segment { return hca.Segment{Addr: e.mr.Addr(), Len: 8, Key: e.mr.LKey()} }
	var wcs [4]hca.WC
	for round := range 200 {
		if err := b.qp.PostRecv(hca.RecvWR{Local: seg(b)}); err != nil {
			t.Fatal(err)
		}
		if err := b.rcq.Arm(); err != nil { // the peer is woken, too
			t.Fatal(err)
		}
		if err := a.scq.Arm(); err != nil {
			t.Fatal(err)
		}
		a.rcq.Poll(wcs[:])
		if err := a.qp.PostSend(hca.SendWR{Op: hca.OpSend, Local: seg(a)}); err != nil {
			t.Fatal(err)
		}
		for range round % 4 {
			a.rcq.Poll(wcs[:])
		}
		select {
		case <-a.sent:
		case <-time.After(30 * time.Second):
			t.Fatalf("round %d: the sleeper was not woken", round)
		}
		for _, cq := range []hca.CQ{a.scq, b.rcq} {
			if n := cq.Poll(wcs[:]); n != 1 || wcs[0].Status != hca.StatusOK {
				t.Fatalf("%d entries, %+v", n, wcs[0])
			}
		}
	}
}
