package verbs

import (
	"context"
	"net/netip"
	"testing"
	"testing/synctest"

	"github.com/godapl/godapl/internal/hca"
	"github.com/godapl/godapl/internal/hca/verbs/fakeibv"
)

// stepped is two connected queue pairs of a simulated device, in a bubble. The test takes the
// device's steps.
type stepped struct {
	*testing.T
	w    *fakeibv.World
	ad   *adapter
	x, y *qp
}

func newStepped(t *testing.T, depth int) *stepped {
	w := fakeibv.New(fakeibv.Config{Seed: 1, Stepped: true, Devices: []string{"fake0", "fake1"}})
	t.Cleanup(w.Close)
	s := &stepped{T: t, w: w}
	s.ad = got(Simulated(w.Lib(), w.Names(), w.Addrs()).Open(t.Context(), "fake0", hca.Options{}))(t).(*adapter)
	t.Cleanup(func() { s.ad.Close() })
	done := make(chan error, 2)
	s.x, s.y = s.qp(depth), s.qp(depth)
	l := got(s.ad.Listen(t.Context(), hca.ListenConfig{Address: netip.AddrPortFrom(w.Addrs()[0], 0).String(), OnRequest: func(r hca.ConnRequest) bool {
		go func() { done <- r.Accept(context.Background(), s.y, hca.ConnParams{}) }()
		return true
	}}))(t)
	go func() { done <- s.x.Connect(context.Background(), l.Addr(), hca.ConnParams{}) }()
	for len(done) < 2 {
		s.steps()
	}
	for range 2 {
		if err := <-done; err != nil {
			t.Fatal(err)
		}
	}
	return s
}

func got[T any](v T, err error) func(*testing.T) T {
	return func(t *testing.T) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
}

func (s *stepped) qp(depth int) *qp {
	s.Helper()
	pd := got(s.ad.NewPD())(s.T)
	c := got(s.ad.NewCQ(hca.CQConfig{Depth: 2 * depth, Notify: func() {}}))(s.T)
	return got(s.ad.NewQP(hca.QPConfig{PD: pd, SendCQ: c, RecvCQ: c, SendDepth: depth, RecvDepth: depth, SendSGE: 1, RecvSGE: 1}))(s.T).(*qp)
}

func (s *stepped) must(err error) {
	s.Helper()
	if err != nil {
		s.Fatal(err)
	}
}

// steps takes all steps that there are.
func (s *stepped) steps() {
	for more := true; more; {
		more = s.w.Step()
		synctest.Wait()
	}
}

// A suppressed request needs no report of its own while an earlier one has yet to complete.
// That one may complete before the device is given the request.
func TestSuppressedBesideItsReporter(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newStepped(t, 16)
		q := s.x
		wr := hca.SendWR{Op: hca.OpWrite, Flags: hca.Suppress} // of no bytes
		if err := q.PostSend(wr); err != nil {
			t.Fatal(err)
		}
		q.mu.Lock()
		if err := q.build(q.send.head.Load(), 0, &wr); err != nil {
			t.Fatal(err)
		}
		if q.send.recs[1].signaled {
			t.Fatal("the second request is signaled, too")
		}
		s.steps()
		q.scq.drive()
		if !q.drained() {
			t.Fatal("the first request is not done")
		}
		if _, err := q.hand(1, []hca.SendWR{wr}); err != nil {
			t.Fatal(err)
		}
		q.mu.Unlock()
		for range 3 { // the request, and what reports it
			s.steps()
			q.scq.drive()
		}
		if n, _ := q.Outstanding(); n > 0 {
			t.Errorf("%d requests are never reported", n)
		}
	})
}
