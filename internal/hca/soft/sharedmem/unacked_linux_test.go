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
		acks   int // of how many is one published
		awaken int // and of how many does one wake this side
	}{
		"message":                    {hca.OpSend, hca.Suppress, 8, 64, sharedmem.UnackedMost, sharedmem.UnwokenMost},
		"message of a short queue":   {hca.OpSend, hca.Suppress, 8, 4, 2, sharedmem.UnwokenMost},
		"message that wakes nobody":  {hca.OpSend, hca.Quiet, 8, 64, sharedmem.UnackedMost, sharedmem.UnwokenMost},
		"message that is waited for": {hca.OpSend, 0, 8, 64, 1, 1},
		"message in the bulk area":   {hca.OpSend, hca.Suppress, sharedmem.SlotMost + 1, 64, sharedmem.UnackedMost, sharedmem.PartsUnwoken},
		"the longest of these":       {hca.OpSend, hca.Suppress, sharedmem.PartUnwoken, 64, sharedmem.UnackedMost, sharedmem.PartsUnwoken},
		"a longer one":               {hca.OpSend, hca.Suppress, sharedmem.PartUnwoken + 1, 64, 1, 1},
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
			if acks != rounds/c.acks || awaken != rounds/c.awaken {
				t.Errorf("%d of %d are published, and %d wake this side", acks, rounds, awaken)
			}
		})
	}
}
