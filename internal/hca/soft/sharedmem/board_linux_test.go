package sharedmem_test

import (
	"runtime"
	"testing"
	"time"

	"github.com/godapl/godapl/internal/hca"
	"github.com/godapl/godapl/internal/hca/soft/sharedmem"
	"github.com/godapl/godapl/internal/hca/soft/sharedmem/group"
	"github.com/godapl/godapl/internal/hca/soft/softtest"
	"github.com/godapl/godapl/internal/shm"
)

// TestShmASleeperOfACrowdIsWokenByTheBoard, and by the connection's doorbell when the crowd has gone. It decides anew for
// each sleep.
func TestShmASleeperOfACrowdIsWokenByTheBoard(t *testing.T) {
	a, b := softtest.Connect(t, "shm", 8, 64)
	seg := func(e *softtest.End) hca.Segment { return hca.Segment{Addr: e.MR.Addr(), Len: 8, Key: e.MR.LKey()} }
	trip := func() (how shm.How) {
		t.Helper()
		if err := b.QP.PostRecv(hca.RecvWR{Local: seg(b)}); err != nil {
			t.Fatal(err)
		}
		if err := b.RecvCQ.Arm(); err != nil {
			t.Fatal(err)
		}
		for late := time.Now().Add(10 * time.Second); how == shm.Awake && time.Now().Before(late); runtime.Gosched() {
			how = sharedmem.SleepsFor(b.QP) // another goroutine may be about to arm the doorbell
		}
		if err := a.QP.PostSend(hca.SendWR{Op: hca.OpSend, Flags: hca.Suppress, Local: seg(a)}); err != nil {
			t.Fatal(err)
		}
		softtest.Await(t, b.RecvCQ)
		if n := b.RecvCQ.Poll(make([]hca.WC, 2)); n != 1 {
			t.Fatalf("%d completions", n)
		}
		return how
	}
	trips := func(want shm.How) {
		t.Helper()
		trip() // its sleep may have begun before
		for range 3 {
			if how := trip(); how != want {
				t.Errorf("the sleeper is woken by %d, want %d", how, want)
			}
		}
	}
	trips(shm.ByEvent)
	undo := group.CrowdEverywhere()
	trips(shm.ByBoard)
	undo()
	trips(shm.ByEvent)
}
