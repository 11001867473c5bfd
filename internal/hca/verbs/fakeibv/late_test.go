package fakeibv_test

import (
	"testing"
	"testing/synctest"

	"github.com/godapl/godapl/internal/hca"
	"github.com/godapl/godapl/internal/hca/verbs/fakeibv"
)

// TestAnAnswerAheadOfItsAcknowledgement: the completion of a request may become visible long after the answer to it, so that
// several count as under way though one is. That does not fill a queue of two requests.
func TestAnAnswerAheadOfItsAcknowledgement(t *testing.T) {
	const rounds, depth = 30, 2
	most := 0
	for seed := range uint64(30) {
		synctest.Test(t, func(t *testing.T) {
			r := newRig(t, fakeibv.Config{Seed: seed, Stepped: true}, hca.Options{})
			sends := make([]hca.CQ, 2)
			var ends [2]*end
			for i := range ends {
				sends[i] = made(r.a.NewCQ(hca.CQConfig{Depth: 64, Notify: func() {}}))(r)
				ends[i] = r.newEnd(func(cfg *hca.QPConfig) { cfg.SendCQ, cfg.SendDepth = sends[i], depth })
				r.must(ends[i].qp.PostRecv(hca.RecvWR{Local: ends[i].seg(8)}))
			}
			r.connect(ends[0], ends[1])
			wcs := make([]hca.WC, 1)
			for round := range rounds {
				for i, e := range ends {
					r.must(e.qp.PostSend(hca.SendWR{ID: uint64(round), Op: hca.OpSend, Local: e.seg(8)}))
					late, _ := e.qp.Outstanding()
					most = max(most, late)
					to := ends[1-i]
					r.until(func() bool { return to.cq.Poll(wcs) > 0 })
					r.must(to.qp.PostRecv(hca.RecvWR{Local: to.seg(8)}))
				}
			}
			r.steps()
			for i := range ends {
				for round := range uint64(rounds) {
					if sends[i].Poll(wcs) != 1 || wcs[0].ID != round || wcs[0].Status != hca.StatusOK {
						t.Fatalf("seed %d, side %d: completion %d is %+v", seed, i, round, wcs[0])
					}
				}
				if sends[i].Poll(wcs) != 0 {
					t.Errorf("seed %d: one completion more", seed)
				}
			}
		})
	}
	if most <= depth {
		t.Errorf("no completion was late: at most %d requests were under way", most)
	}
}
