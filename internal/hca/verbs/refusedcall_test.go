package verbs

import (
	"context"
	"errors"
	"net"
	"net/netip"
	"slices"
	"testing"
	"testing/synctest"

	"github.com/godapl/godapl/internal/hca"
	"github.com/godapl/godapl/internal/hca/verbs/ibv"
)

// On an iWARP device the call that requests a connection tells that nobody listens, or that the
// listener is closed between the two messages of TCP and of MPA. That is a refusal as any other:
// Connect tries the next address, and without one it says so.
func TestConnectCallThatFails(t *testing.T) {
	for e, want := range map[ibv.Errno]hca.Code{
		ibv.ECONNREFUSED: hca.Refused, ibv.ECONNRESET: hca.Refused, ibv.EHOSTUNREACH: hca.Unreachable, ibv.EADDRINUSE: hca.ServiceInUse,
	} {
		t.Run(e.Error(), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := newStepped(t, 16)
				here, there := s.w.Addrs()[0], s.w.Addrs()[1]
				s.ad.dev.host.lookup = func(context.Context, string, string) ([]netip.Addr, error) { return []netip.Addr{there, here}, nil }
				y, accepted := s.qp(8), make(chan error, 1)
				l := got(s.ad.Listen(t.Context(), hca.ListenConfig{Address: netip.AddrPortFrom(here, 0).String(), OnRequest: func(r hca.ConnRequest) bool {
					go func() { accepted <- r.Accept(context.Background(), y, hca.ConnParams{}) }()
					return true
				}}))(t)
				_, port, _ := net.SplitHostPort(l.Addr())
				connect := func(q *qp) error {
					done := make(chan error, 1)
					go func() { done <- q.Connect(t.Context(), "host:"+port, hca.ConnParams{}) }()
					for len(done) == 0 {
						s.steps()
					}
					return <-done
				}
				inUse := slices.Repeat([]ibv.Errno{ibv.EADDRINUSE, ibv.EADDRNOTAVAIL}, portTries)[:portTries]
				if s.w.FailConnects(e, e); want == hca.ServiceInUse {
					s.w.FailConnects(inUse...)
				}
				if err := connect(s.qp(8)); !errors.Is(err, want) || errors.Is(err, hca.Disconnected) {
					t.Errorf("no address connects: %v", err)
				}
				if want == hca.ServiceInUse {
					// Another address does not cure that, but another local port does.
					s.w.FailConnects(inUse[1:]...)
				} else {
					s.w.FailConnects(e)
				}
				s.must(connect(s.qp(8)))
				for len(accepted) == 0 {
					s.steps()
				}
				s.must(<-accepted)
			})
		})
	}
}
