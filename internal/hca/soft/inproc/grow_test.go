package inproc_test

import (
	"testing"

	"github.com/godapl/godapl/internal/hca"
	"github.com/godapl/godapl/internal/hca/soft/softtest"
)

// TestASharedQueueThatGrowsHasItsRoom: an endpoint has borrowed the spare room of a completion queue, and then the
// shared receive queue becomes deeper, for which the completion queue is deep enough.
func TestASharedQueueThatGrowsHasItsRoom(t *testing.T) {
	const depth = 4
	a, b := softtest.NewEnd(t, "loop", 4*depth, 64), softtest.NewEnd(t, "loop", depth, 64)
	cq, err := b.A.NewCQ(hca.CQConfig{Depth: 4 * depth})
	must(t, err)
	srq, err := b.PD.NewSRQ(hca.SRQConfig{Depth: depth})
	must(t, err)
	must(t, b.QP.Close())
	b.QP, err = b.A.NewQP(hca.QPConfig{PD: b.PD, SendCQ: cq, RecvCQ: cq, SendDepth: depth, SRQ: srq})
	must(t, err)
	softtest.Join(t, a, b)
	posted := 0
	for range 4 * depth {
		if b.QP.PostSend(hca.SendWR{Op: hca.OpWrite, Local: part(b, 0, 8), Remote: a.MR.Addr(), RKey: a.MR.RKey()}) == nil {
			posted++
		}
	}
	must(t, srq.Resize(3*depth))
	for range 3 * depth {
		must(t, srq.PostRecv(hca.RecvWR{Local: part(b, 0, 8)}))
		must(t, a.QP.PostSend(hca.SendWR{Op: hca.OpSend, Local: part(a, 0, 8)}))
	}
	if s := cq.(hca.CQStatsReader).ReadStats(nil); s.Overflows != 0 {
		t.Fatal("the queue is as deep as those that feed it, and has lost a completion")
	}
	entries(t, cq, make([]hca.Status, posted+3*depth)...)
}
