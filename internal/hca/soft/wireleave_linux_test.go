package soft_test

import (
	"testing"
	"time"

	"github.com/godapl/godapl/internal/hca"
	"github.com/godapl/godapl/internal/hca/soft"
)

// A socket that is polled for a while is no longer the kernel's to watch. Who goes to
// sleep gets it watched again, at once.
func TestPolledSocketLeavesTheKernelsQueue(t *testing.T) {
	a, b := connect(t, "tcp", 8, 4096)
	read := hca.SendWR{Op: hca.OpRead, Local: hca.Segment{Addr: a.mr.Addr(), Len: 8, Key: a.mr.LKey()}, Remote: b.mr.Addr(), RKey: b.mr.RKey()}
	var wcs [4]hca.WC
	for round := range 3 {
		limit := time.Now().Add(30 * time.Second)
		for left := [2]bool{}; left != [2]bool{true, true}; {
			// The first event of a polled socket disarms it. To look takes system calls,
			// and with one processor the watch has its turn then, and finds that nobody
			// polls: so there are many reads to each look, and the sockets may leave in turn.
			for range 2000 {
				if err := a.qp.PostSend(read); err != nil {
					t.Fatal(err)
				}
				for a.scq.Poll(wcs[:]) == 0 {
					b.scq.Poll(wcs[:])
				}
			}
			left[0] = left[0] || soft.Entrants(t, a.a) == 0
			left[1] = left[1] || soft.Entrants(t, b.a) == 0
			if time.Now().After(limit) {
				t.Fatalf("round %d: polled, and watched for all that", round)
			}
		}
		for _, e := range []*end{a, b} {
			if err := e.rcq.Arm(); err != nil {
				t.Fatal(err)
			}
			if err := e.scq.Arm(); err != nil {
				t.Fatal(err)
			}
			if n := soft.Entrants(t, e.a); n != 1 {
				t.Fatalf("round %d: %d sockets are watched for a sleeper", round, n)
			}
		}
		if err := a.qp.PostSend(read); err != nil {
			t.Fatal(err)
		}
		select {
		case <-a.sent:
		case <-time.After(30 * time.Second):
			t.Fatalf("round %d: the sleeper was not woken", round)
		}
		if n := a.scq.Poll(wcs[:]); n != 1 || wcs[0].Status != hca.StatusOK {
			t.Fatalf("%d entries, %+v", n, wcs[0])
		}
	}
}
