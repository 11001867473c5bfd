package sharedmem_test

import (
	"runtime"
	"testing"
	"time"

	"github.com/godapl/godapl/internal/fence/fencetest"
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

// TestShmAConsumerThatLeavesItsDoorbellIsHeard: the adapter's poller may look at the connection, for a flag that is old, when
// its consumer leaves the park and then sleeps at the board.
func TestShmAConsumerThatLeavesItsDoorbellIsHeard(t *testing.T) {
	_, b := softtest.Connect(t, "shm", 8, 64)
	cq := b.RecvCQ.(hca.Parker)
	rounds := fencetest.Together(100_000, func(uint64) {
		sharedmem.Look(b.QP)
	}, func(uint64) {
		if !cq.AcquirePark() {
			t.Error("it does not park")
			return
		}
		cq.ReleasePark(false)
		defer group.CrowdEverywhere()()
		if cq.AcquirePark() {
			t.Error("it parks")
			cq.ReleasePark(false)
		}
		if err := b.RecvCQ.Arm(); err != nil {
			t.Error(err)
		}
	}, func(round uint64) {
		if sharedmem.RestsUnheard(b.QP) {
			t.Fatalf("round %d: it rests, and nobody hears its doorbell", round)
		}
	})
	if rounds == 0 {
		t.Error("no round was made")
	}
}
