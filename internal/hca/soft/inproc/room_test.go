package inproc_test

import (
	"errors"
	"testing"

	"github.com/godapl/godapl/internal/hca"
	"github.com/godapl/godapl/internal/hca/soft/softtest"
)

// TestWhatALeftSharedQueueHasCompletedKeepsItsRoom: an endpoint with a shared receive queue is closed, and the
// completions of its receives are not taken yet. Another one that reports to the same queue gets only the room that
// is left.
func TestWhatALeftSharedQueueHasCompletedKeepsItsRoom(t *testing.T) {
	const depth = 4
	a, b := softtest.Connect(t, "loop", depth, 64)
	cq, err := b.A.NewCQ(hca.CQConfig{Depth: 2 * depth})
	must(t, err)
	srq, err := b.PD.NewSRQ(hca.SRQConfig{Depth: depth})
	must(t, err)
	must(t, a.QP.Close())
	must(t, b.QP.Close())
	b.QP, err = b.A.NewQP(hca.QPConfig{PD: b.PD, SendCQ: b.SendCQ, RecvCQ: cq, SRQ: srq})
	must(t, err)
	a.QP, err = a.A.NewQP(hca.QPConfig{PD: a.PD, SendCQ: a.SendCQ, RecvCQ: a.RecvCQ, SendDepth: depth})
	must(t, err)
	softtest.Join(t, a, b)
	for range depth {
		must(t, srq.PostRecv(hca.RecvWR{Local: part(b, 0, 8)}))
		must(t, a.QP.PostSend(hca.SendWR{Op: hca.OpSend, Local: part(a, 0, 8)}))
	}
	must(t, b.QP.Close())
	b.QP, err = b.A.NewQP(hca.QPConfig{PD: b.PD, SendCQ: cq, RecvCQ: cq, SendDepth: depth})
	must(t, err)
	x := softtest.NewEnd(t, "loop", depth, 64)
	softtest.Join(t, b, x)
	write := hca.SendWR{Op: hca.OpWrite, Local: part(b, 0, 8), Remote: x.MR.Addr(), RKey: x.MR.RKey()}
	for range depth {
		must(t, b.QP.PostSend(write))
	}
	if err := b.QP.PostSend(write); !errors.Is(err, hca.QueueFull) {
		t.Errorf("a post beyond the room of the queue: %v", err)
	}
	if s := cq.(hca.CQStatsReader).ReadStats(nil); s.Overflows != 0 {
		t.Fatal("the queue is as deep as those that feed it, and has lost a completion")
	}
	entries(t, cq, make([]hca.Status, 2*depth)...)
	must(t, b.QP.PostSend(write))
}
