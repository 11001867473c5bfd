package inproc_test

import (
	"testing"

	"github.com/godapl/godapl/internal/hca"
	"github.com/godapl/godapl/internal/hca/soft/softtest"
)

// TestAnEndpointThatJoinsLaterHasItsRoom: one endpoint has borrowed the spare room of a completion queue, and then
// another one joins, for which the queue is deep enough.
func TestAnEndpointThatJoinsLaterHasItsRoom(t *testing.T) {
	const depth = 4
	x, y := softtest.NewEnd(t, "loop", depth, 64), softtest.NewEnd(t, "loop", depth, 64)
	b := softtest.NewEnd(t, "loop", depth, 64)
	cq, err := b.A.NewCQ(hca.CQConfig{Depth: 2 * depth})
	must(t, err)
	for i, peer := range []*softtest.End{x, y} {
		e := *b
		e.QP, err = b.A.NewQP(hca.QPConfig{PD: b.PD, SendCQ: cq, RecvCQ: b.RecvCQ, SendDepth: depth})
		must(t, err)
		softtest.Join(t, &e, peer)
		posted := 0
		for range 2 * depth {
			if e.QP.PostSend(hca.SendWR{Op: hca.OpWrite, Local: part(&e, 0, 8), Remote: peer.MR.Addr(), RKey: peer.MR.RKey()}) == nil {
				posted++
			}
		}
		if want := 2 * depth / (1 + i); posted != want {
			t.Errorf("endpoint %d: %d requests have room, want %d", i, posted, want)
		}
	}
	if s := cq.(hca.CQStatsReader).ReadStats(nil); s.Overflows != 0 {
		t.Fatal("the queue is as deep as those that feed it, and has lost a completion")
	}
	entries(t, cq, make([]hca.Status, 3*depth)...)
}
