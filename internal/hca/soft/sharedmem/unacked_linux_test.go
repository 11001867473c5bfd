package sharedmem_test

import (
	"testing"

	"github.com/godapl/godapl/internal/hca"
	"github.com/godapl/godapl/internal/hca/soft/sharedmem"
	"github.com/godapl/godapl/internal/hca/soft/softtest"
)

// TestShmFewRequestsWakeTheirSender: of the requests whose completion wakes nobody, the peer tells this side of one in
// eight that it has handled them, however they travel. Each would wake a goroutine that waits for something else.
func TestShmFewRequestsWakeTheirSender(t *testing.T) {
	for name, c := range map[string]struct {
		op    hca.Op
		flags hca.Flags
		size  uint32
	}{
		"message":                    {hca.OpSend, hca.Suppress, 8},
		"message that wakes nobody":  {hca.OpSend, hca.Quiet, 8},
		"message in the bulk area":   {hca.OpSend, hca.Suppress, sharedmem.SlotMost + 1},
		"the longest of these":       {hca.OpSend, hca.Suppress, sharedmem.PartUnacked},
		"short write with immediate": {hca.OpWriteImm, hca.Suppress, 8},
		"write with immediate":       {hca.OpWriteImm, hca.Suppress, 2048},
	} {
		t.Run(name, func(t *testing.T) {
			a, b := softtest.Connect(t, "shm", 64, sharedmem.PartUnacked)
			const rounds = 4 * sharedmem.UnackedMost
			told := 0
			for range rounds {
				if err := b.QP.PostRecv(hca.RecvWR{Local: hca.Segment{Addr: b.MR.Addr(), Len: sharedmem.PartUnacked, Key: b.MR.LKey()}}); err != nil {
					t.Fatal(err)
				}
				wr := hca.SendWR{Op: c.op, Flags: c.flags, Local: hca.Segment{Addr: a.MR.Addr(), Len: c.size, Key: a.MR.LKey()}}
				if c.op == hca.OpWriteImm {
					wr.Remote, wr.RKey = b.MR.Addr(), b.MR.RKey()
				}
				if err := a.QP.PostSend(wr); err != nil {
					t.Fatal(err)
				}
				if sharedmem.Unacked(a.QP) == 0 {
					told++
				}
				softtest.Await(t, b.RecvCQ) // or the bulk area is full some time
				if n := b.RecvCQ.Poll(make([]hca.WC, 2)); n != 1 {
					t.Fatalf("%d completions", n)
				}
			}
			if told != rounds/sharedmem.UnackedMost {
				t.Errorf("%d of %d", told, rounds)
			}
		})
	}
}
