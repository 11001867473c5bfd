package soft_test

import (
	"runtime"
	"testing"
	"time"

	"github.com/godapl/godapl/internal/hca"
	"github.com/godapl/godapl/internal/hca/soft"
)

// TestShmFlushesBesideAStoppedPeer: a peer that was stopped inside this side's memory is
// waited for, but not with what is posted: that is flushed at once, before the end of the
// connection is over, in both queues and as often as something is posted.
func TestShmFlushesBesideAStoppedPeer(t *testing.T) {
	defer soft.StuckTime(time.Hour)() // who waits for the peer waits for ever
	a, b := connect(t, "shm", 64, 4096)
	seg := func(e *end) hca.Segment { return hca.Segment{Addr: e.mr.Addr(), Len: 64, Key: e.mr.LKey()} }
	// Each looks to the other as if it were stopped, so that neither hangs up.
	defer soft.StayInside(b.qp, b.mr.RKey())()
	defer soft.StayInside(a.qp, a.mr.RKey())()
	flushed := func(cq hca.CQ, n int) {
		t.Helper()
		var wcs [16]hca.WC
		for late := time.Now().Add(30 * time.Second); n > 0; runtime.Gosched() {
			got := cq.Poll(wcs[:])
			for _, wc := range wcs[:got] {
				if wc.Status != hca.StatusFlushed {
					t.Fatalf("%v: %v", wc.Op, wc.Status)
				}
			}
			n -= got
			if time.Now().After(late) {
				t.Fatalf("%d entries have not come", n)
			}
		}
	}
	post := func(e *end, n int) {
		t.Helper()
		for range n {
			if err := e.qp.PostSend(hca.SendWR{Op: hca.OpSend, Local: seg(e)}); err != nil {
				t.Fatal(err)
			}
			if err := e.qp.PostRecv(hca.RecvWR{Local: seg(e)}); err != nil {
				t.Fatal(err)
			}
		}
	}
	post(a, 10) // which find no receives
	if err := a.qp.Disconnect(false); err != nil {
		t.Fatal(err)
	}
	flushed(a.scq, 10)
	flushed(a.rcq, 10)
	soft.AwaitExpel(a.qp)
	soft.AwaitExpel(b.qp)
	for range 100 {
		for _, e := range []*end{a, b} {
			post(e, 3)
			flushed(e.scq, 3)
			flushed(e.rcq, 3)
		}
	}
}
