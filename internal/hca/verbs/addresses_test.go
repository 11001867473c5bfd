package verbs

import (
	"context"
	"errors"
	"net"
	"net/netip"
	"testing"
	"testing/synctest"
	"time"

	"github.com/godapl/godapl/internal/hca"
	"github.com/godapl/godapl/internal/hca/verbs/ibv"
)

// A name may have addresses of another family, of nobody, and of a device where nobody listens:
// Connect tries them all. Receives that were posted before are there for the connection.
func TestConnectTriesAllAddresses(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newStepped(t, 16)
		here, there := s.w.Addrs()[0], s.w.Addrs()[1]
		other, nobody := netip.MustParseAddr("2001:db8::1"), netip.MustParseAddr("192.0.2.99")
		names := map[string][]netip.Addr{"host": {other, there, nobody, here}, "elsewhere": {other}, "gone": {nobody, there}}
		s.ad.dev.host.lookup = func(_ context.Context, _, host string) ([]netip.Addr, error) { return names[host], nil }
		x, y := s.qp(8), s.qp(8)
		accepted := make(chan error, 1)
		l := got(s.ad.Listen(t.Context(), hca.ListenConfig{Address: "host:0", OnRequest: func(r hca.ConnRequest) bool {
			go func() { accepted <- r.Accept(context.Background(), y, hca.ConnParams{}) }()
			return true
		}}))(t)
		_, port, _ := net.SplitHostPort(l.Addr())
		connect := func(q *qp, host string) error {
			done := make(chan error, 1)
			go func() { done <- q.Connect(t.Context(), host, hca.ConnParams{}) }()
			for len(done) == 0 {
				s.steps()
			}
			return <-done
		}
		if err := connect(s.qp(8), "elsewhere:"+port); !errors.Is(err, hca.Unreachable) {
			t.Errorf("no address of the device's family: %v", err)
		}
		if err := connect(s.qp(8), "gone:"+port); !errors.Is(err, hca.Unreachable) {
			t.Errorf("nobody has the addresses: %v", err)
		}
		for i := range uint64(3) {
			s.must(x.PostRecv(hca.RecvWR{ID: 1 + i}))
		}
		// As if the device had flushed one when it was refused.
		x.rcq.mu.Lock()
		x.recv.held = []ibv.WC{{ID: uint64(wrID(x.index)<<32 | idRecv), Status: ibv.WCWRFlushErr}}
		x.rcq.mu.Unlock()
		if err := connect(x, "host:"+port); err != nil {
			t.Fatal(err)
		}
		for len(accepted) == 0 {
			s.steps()
		}
		s.must(<-accepted)
		s.must(x.PostRecv(hca.RecvWR{ID: 4}))
		for range 2 {
			s.must(y.PostSend(hca.SendWR{Op: hca.OpSend}))
		}
		s.steps()
		s.must(y.Disconnect(true))
		go x.Close()
		for !x.isOver() {
			s.steps()
			<-time.After(time.Millisecond) // the end waits for it
		}
		var wcs [8]hca.WC
		n := x.rcq.Poll(wcs[:])
		for i, want := range []hca.Status{hca.StatusOK, hca.StatusOK, hca.StatusFlushed, hca.StatusFlushed} {
			if wcs[i].ID != 1+uint64(i) || wcs[i].Status != want || n != 4 {
				t.Errorf("entry %d of %d is of %d: %v, want %v", i, n, wcs[i].ID, wcs[i].Status, want)
			}
		}
	})
}
