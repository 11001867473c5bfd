package core_test

import (
	"testing"
	"time"

	"github.com/godapl/godapl/internal/hca"
	"github.com/godapl/godapl/internal/hca/soft/core"
	"github.com/godapl/godapl/internal/hca/soft/softtest"
)

// A socket that is polled for a while leaves the kernel's queue. When the consumer goes to sleep, the socket
// returns to it at once.
func TestPolledSocketLeavesTheKernelsQueue(t *testing.T) {
	a, b := softtest.Connect(t, "tcp", 8, 4096)
	read := hca.SendWR{Op: hca.OpRead, Local: hca.Segment{Addr: a.MR.Addr(), Len: 8, Key: a.MR.LKey()}, Remote: b.MR.Addr(), RKey: b.MR.RKey()}
	var wcs [4]hca.WC
	for round := range 3 {
		limit := time.Now().Add(30 * time.Second)
		for left := [2]bool{}; left != [2]bool{true, true}; {
			// The first event of a polled socket disarms it. The check takes system calls; with one
			// processor the watch then runs, and finds that nobody polls. So there are many reads for each
			// check, and the sockets may leave one after the other.
			for range 2000 {
				if err := a.QP.PostSend(read); err != nil {
					t.Fatal(err)
				}
				for a.SendCQ.Poll(wcs[:]) == 0 {
					b.SendCQ.Poll(wcs[:])
				}
			}
			left[0] = left[0] || core.WatchedFDs(t, a.A) == 0
			left[1] = left[1] || core.WatchedFDs(t, b.A) == 0
			if time.Now().After(limit) {
				t.Fatalf("round %d: polled, and watched for all that", round)
			}
		}
		for _, e := range []*softtest.End{a, b} {
			if err := e.RecvCQ.Arm(); err != nil {
				t.Fatal(err)
			}
			if err := e.SendCQ.Arm(); err != nil {
				t.Fatal(err)
			}
			if n := core.WatchedFDs(t, e.A); n != 1 {
				t.Fatalf("round %d: %d sockets are watched for a sleeper", round, n)
			}
		}
		if err := a.QP.PostSend(read); err != nil {
			t.Fatal(err)
		}
		select {
		case <-a.Sent:
		case <-time.After(30 * time.Second):
			t.Fatalf("round %d: the sleeper was not woken", round)
		}
		if n := a.SendCQ.Poll(wcs[:]); n != 1 || wcs[0].Status != hca.StatusOK {
			t.Fatalf("%d entries, %+v", n, wcs[0])
		}
	}
}
