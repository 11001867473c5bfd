package fakeibv_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"

	"github.com/godapl/godapl/internal/hca"
	"github.com/godapl/godapl/internal/hca/verbs/fakeibv"
)

// shared makes an end with a shared receive queue, which has n receives.
func (r *rig) shared(n int) *end {
	r.Helper()
	srq := made(r.pd.NewSRQ(hca.SRQConfig{Depth: 16, MaxSGE: 1}))(r)
	e := r.newEnd(func(cfg *hca.QPConfig) { cfg.SRQ, cfg.RecvDepth = srq, 0 })
	for i := range n {
		r.must(srq.PostRecv(hca.RecvWR{ID: uint64(100 + i), Local: e.seg(8)}))
	}
	return e
}

// A message that comes before the connection is established uses a shared receive up. If
// Accept is given up, the receive is flushed, as those of any connection that was never made.
func TestSharedReceiveWithoutConnection(t *testing.T) {
	given := 0
	for seed := range uint64(100) {
		synctest.Test(t, func(t *testing.T) {
			r := newRig(t, fakeibv.Config{Seed: seed, Stepped: true}, hca.Options{})
			x := r.newEnd(nil)
			y := r.shared(2)
			req, connected := r.request(x)
			ctx, cancel := context.WithCancel(t.Context())
			accepted := make(chan error, 1)
			go func() { accepted <- req.Accept(ctx, y.qp, hca.ConnParams{}) }()
			r.until(func() bool { return len(connected) > 0 })
			r.must(x.qp.PostSend(hca.SendWR{Op: hca.OpSend, Local: x.seg(8)}))
			wcs := make([]hca.WC, 4)
			r.until(func() bool { return x.cq.Poll(wcs) > 0 })
			cancel()
			r.until(func() bool { return len(accepted) > 0 })
			if err := <-accepted; err == nil {
				return
			} else if !errors.Is(err, hca.Canceled) {
				t.Fatal(err)
			}
			given++
			if n := y.cq.Poll(wcs); n != 1 || wcs[0].ID != 100 || wcs[0].Status != hca.StatusFlushed {
				t.Errorf("seed %d: %d entries of the receive that was used: %v", seed, n, wcs[:n])
			}
		})
	}
	if given == 0 {
		t.Error("no message has come before Accept was given up")
	}
}

// A message that the peer's device has acknowledged has used a shared receive up. Its
// completion comes, also if this side ends the connection before it is visible.
func TestSharedReceiveAtTheEnd(t *testing.T) {
	for seed := range uint64(50) {
		synctest.Test(t, func(t *testing.T) {
			r := newRig(t, fakeibv.Config{Seed: seed, Stepped: true}, hca.Options{})
			x, y := r.newEnd(nil), r.shared(2)
			r.connect(x, y)
			r.must(x.qp.PostSend(hca.SendWR{Op: hca.OpSend, Local: x.seg(8)}))
			wcs := make([]hca.WC, 4)
			r.until(func() bool { return x.cq.Poll(wcs) > 0 })
			r.must(y.qp.Disconnect(false))
			synctest.Wait()
			y.wants(hca.EventDisconnected)
			y.wants(hca.EventLastReceive)
			if n := y.cq.Poll(wcs); n != 1 || wcs[0].ID != 100 || wcs[0].Status != hca.StatusOK {
				t.Errorf("seed %d: %d entries of the receive that was used: %v", seed, n, wcs[:n])
			}
		})
	}
}
