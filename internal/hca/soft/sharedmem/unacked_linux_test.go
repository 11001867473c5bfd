package sharedmem_test

import (
	"testing"

	"github.com/godapl/godapl/internal/hca"
	"github.com/godapl/godapl/internal/hca/soft/sharedmem"
	"github.com/godapl/godapl/internal/hca/soft/softtest"
)

// TestShmFewRequestsWakeTheirSender: the handling of few of the requests whose completion wakes nobody wakes this side,
// however they travel: it would wake a goroutine that waits for something else. But the peer publishes it for one in eight,
// and for each second one in a queue of four: a full queue looks there.
func TestShmFewRequestsWakeTheirSender(t *testing.T) {
	for name, c := range map[string]struct {
		op     hca.Op
		flags  hca.Flags
		size   uint32
		depth  int
		acks   int // of how many is one published before the others are handled; 0: it does not matter
		awaken int // and of how many does one wake this side
	}{
		"message":                    {hca.OpSend, hca.Suppress, 8, 64, sharedmem.UnackedMost, sharedmem.UnwokenMost},
		"message of a short queue":   {hca.OpSend, hca.Suppress, 8, 4, 2, sharedmem.UnwokenMost},
		"message that wakes nobody":  {hca.OpSend, hca.Quiet, 8, 64, sharedmem.UnackedMost, sharedmem.UnwokenMost},
		"message that is waited for": {hca.OpSend, 0, 8, 64, 0, 1},
		"message in the bulk area":   {hca.OpSend, hca.Suppress, sharedmem.SlotMost + 1, 64, sharedmem.UnackedMost, sharedmem.PartsUnwoken},
		"the longest of these":       {hca.OpSend, hca.Suppress, sharedmem.PartUnwoken, 64, sharedmem.UnackedMost, sharedmem.PartsUnwoken},
		"a longer one":               {hca.OpSend, hca.Suppress, sharedmem.PartUnwoken + 1, 64, 0, 1},
		"short write with immediate": {hca.OpWriteImm, hca.Suppress, 8, 64, sharedmem.UnackedMost, sharedmem.UnwokenMost},
		"write with immediate":       {hca.OpWriteImm, hca.Suppress, 2048, 64, sharedmem.UnackedMost, sharedmem.UnwokenMost},
	} {
		t.Run(name, func(t *testing.T) {
			const most = sharedmem.PartUnwoken + 1
			a, b := softtest.Connect(t, "shm", c.depth, most)
			const rounds = 4 * sharedmem.UnwokenMost
			acks, awaken := 0, 0
			for range rounds {
				if err := b.QP.PostRecv(hca.RecvWR{Local: hca.Segment{Addr: b.MR.Addr(), Len: most, Key: b.MR.LKey()}}); err != nil {
					t.Fatal(err)
				}
				wr := hca.SendWR{Op: c.op, Flags: c.flags, Local: hca.Segment{Addr: a.MR.Addr(), Len: c.size, Key: a.MR.LKey()}}
				if c.op == hca.OpWriteImm {
					wr.Remote, wr.RKey = b.MR.Addr(), b.MR.RKey()
				}
				if err := a.QP.PostSend(wr); err != nil {
					t.Fatal(err)
				}
				unacked, unwoken := sharedmem.Unacked(a.QP)
				if unacked == 0 {
					acks++
				}
				if unwoken == 0 {
					awaken++
				}
				softtest.Await(t, b.RecvCQ) // or the bulk area is full some time
				if n := b.RecvCQ.Poll(make([]hca.WC, 2)); n != 1 {
					t.Fatalf("%d completions", n)
				}
				a.SendCQ.Poll(make([]hca.WC, 2))
			}
			if c.acks > 0 && acks != rounds/c.acks || awaken != rounds/c.awaken {
				t.Errorf("%d of %d are published, and %d wake this side", acks, rounds, awaken)
			}
		})
	}
}

// TestShmHandledRequestsMakeRoomAtOnce: a goroutine that handles many messages in one go publishes that it has handled one in
// eight, or in half of a short queue, before the receive completes. Otherwise another goroutine could answer all of them
// meanwhile, and the peer would find its queue full although it has all answers.
func TestShmHandledRequestsMakeRoomAtOnce(t *testing.T) {
	for _, depth := range []int{1, 2, 5, 16, 64} {
		a, b := softtest.Connect(t, "shm", depth, 64)
		seg := func(e *softtest.End) hca.Segment { return hca.Segment{Addr: e.MR.Addr(), Len: 8, Key: e.MR.LKey()} }
		for range depth {
			if err := b.QP.PostRecv(hca.RecvWR{Local: seg(b)}); err != nil {
				t.Fatal(err)
			}
		}
		most := min(sharedmem.UnackedMost, max(depth/2, 1))
		sharedmem.HandleEach(b.QP, func() {
			for range depth {
				if err := a.QP.PostSend(hca.SendWR{Op: hca.OpSend, Flags: hca.Suppress, Local: seg(a)}); err != nil {
					t.Fatal(err)
				}
			}
		}, func(handled, unreleased int) {
			if want := handled % most; unreleased != want {
				t.Errorf("depth %d: of %d handled messages, the peer does not know of the last %d, want %d", depth, handled, unreleased, want)
			}
		})
		if n := b.RecvCQ.Poll(make([]hca.WC, depth)); n != depth {
			t.Errorf("%d of %d messages", n, depth)
		}
	}
}
