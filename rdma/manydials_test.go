package rdma_test

import (
	"sync"
	"testing"
	"testing/synctest"

	"github.com/godapl/godapl/rdma"
)

// TestManyDialAtOnce: a thousand peers ask before the program takes the first request, and none is refused.
func TestManyDialAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const peers = 1000
		s := newSide(t, "soft-loop")
		ln, err := s.adapter.Listen(t.Context(), anywhere(s.adapter), rdma.ListenConfig{})
		must(t, err)
		var dials sync.WaitGroup
		for range peers {
			dials.Go(func() {
				c, err := s.adapter.Dial(t.Context(), ln.Addr().String(), rdma.EndpointConfig{Zone: s.zone})
				if err != nil {
					t.Error(err)
					return
				}
				must(t, c.Close())
			})
		}
		synctest.Wait()
		dials.Go(func() {
			for c, err := range ln.AcceptAll(t.Context(), rdma.EndpointConfig{Zone: s.zone}) {
				if err != nil {
					return
				}
				must(t, c.Close())
			}
		})
		dials.Go(func() {
			for len(ln.Requests()) > 0 {
				synctest.Wait()
			}
			must(t, ln.Close())
		})
		dials.Wait()
	})
}
