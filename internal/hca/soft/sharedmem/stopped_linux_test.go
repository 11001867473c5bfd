package sharedmem_test

import (
	"runtime"
	"testing"
	"time"

	"github.com/godapl/godapl/internal/hca"
	"github.com/godapl/godapl/internal/hca/soft/sharedmem"
	"github.com/godapl/godapl/internal/hca/soft/softtest"
)

// TestShmFlushesBesideAStoppedPeer: the end waits for a peer that was stopped inside this side's memory, but
// posted requests do not: they are flushed at once, before the connection's end is complete, in both queues and
// however often something is posted.
func TestShmFlushesBesideAStoppedPeer(t *testing.T) {
	t.Cleanup(sharedmem.StuckTime(time.Hour)) // a wait for the peer never ends
	a, b := softtest.Connect(t, "shm", 64, 4096)
	seg := func(e *softtest.End) hca.Segment { return hca.Segment{Addr: e.MR.Addr(), Len: 64, Key: e.MR.LKey()} }
	// Each side looks to the other as if it were stopped, so neither hangs up.
	defer sharedmem.StayInside(b.QP, b.MR.RKey())()
	defer sharedmem.StayInside(a.QP, a.MR.RKey())()
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
	post := func(e *softtest.End, n int) {
		t.Helper()
		for range n {
			if err := e.QP.PostSend(hca.SendWR{Op: hca.OpSend, Local: seg(e)}); err != nil {
				t.Fatal(err)
			}
			if err := e.QP.PostRecv(hca.RecvWR{Local: seg(e)}); err != nil {
				t.Fatal(err)
			}
		}
	}
	post(a, 10) // they find no receives
	if err := a.QP.Disconnect(false); err != nil {
		t.Fatal(err)
	}
	flushed(a.SendCQ, 10)
	flushed(a.RecvCQ, 10)
	sharedmem.AwaitRevocation(a.QP)
	sharedmem.AwaitRevocation(b.QP)
	for range 100 {
		for _, e := range []*softtest.End{a, b} {
			post(e, 3)
			flushed(e.SendCQ, 3)
			flushed(e.RecvCQ, 3)
		}
	}
}
