package fakeibv_test

import (
	"context"
	"testing"
	"testing/synctest"

	"github.com/godapl/godapl/internal/hca"
	"github.com/godapl/godapl/internal/hca/verbs/fakeibv"
)

// A graceful end right after the beginning: the peer's disconnect may come before its message that the connection is
// established, which the connection manager then drops. The accepting side has had the connection all the same, and what
// was sent on it.
func TestDisconnectOvertakesEstablished(t *testing.T) {
	overtaken := 0
	for seed := range uint64(60) {
		synctest.Test(t, func(t *testing.T) {
			r := newRig(t, fakeibv.Config{Seed: seed, Stepped: true}, hca.Options{})
			x, y := r.newEnd(nil), r.newEnd(nil)
			r.must(y.qp.PostRecv(hca.RecvWR{ID: 7, Local: y.seg(8)}))
			req, connected := r.request(x)
			accepted := make(chan error, 1)
			go func() { accepted <- req.Accept(context.Background(), y.qp, hca.ConnParams{}) }()
			x.wants(hca.EventEstablished)
			r.must(x.qp.PostSend(hca.SendWR{Op: hca.OpSend, Local: x.seg(8)}))
			r.must(x.qp.Disconnect(true))
			r.until(func() bool { return len(accepted)+len(connected) == 2 })
			r.must(<-connected)
			for e, what := range map[*end]string{x: "send", y: "receive"} {
				var wcs [2]hca.WC
				n := 0
				r.until(func() bool { n += e.cq.Poll(wcs[n:]); return n > 0 })
				if wcs[0].Status != hca.StatusOK {
					t.Errorf("seed %d: the %s ended with %v", seed, what, wcs[0].Status)
				}
			}
			r.must(<-accepted)
			y.wants(hca.EventEstablished)
			y.wants(hca.EventDisconnected)
			overtaken += r.w.Counts()["disconnect before established"]
		})
	}
	if overtaken == 0 {
		t.Error("no disconnect has overtaken anything")
	}
}
