package rdma_test

import (
	"sync"
	"testing"

	"github.com/godapl/godapl/rdma"
)

// TestLatencyBesideResets: the times of a connection move to its endpoint while others look. Each look has as many
// times as operations: a time that was in both places at once would be taken back in the next look, and a counter
// that goes back counts as one that began anew.
func TestLatencyBesideResets(t *testing.T) {
	t.Setenv("GODAPL_LATENCY", "1")
	a := newSide(t, "soft-loop")
	ln := listen(t, a.adapter)
	e, err := a.adapter.NewEndpoint(rdma.EndpointConfig{Zone: a.zone})
	must(t, err)
	defer e.Close()
	var lookers sync.WaitGroup
	defer lookers.Wait()
	over := make(chan struct{})
	defer close(over)
	for range 2 {
		lookers.Go(func() {
			for {
				select {
				case <-over:
					return
				default:
				}
				s := e.Stats()
				var times uint64
				if h := s.Latency[rdma.OpWrite]; h != nil {
					times = h.Count
				}
				if n := s.Ops[rdma.OpWrite].Operations; times != n {
					t.Errorf("%d times of %d writes", times, n)
					return
				}
			}
		})
	}
	for range 100 {
		writeAndReset(t, a, ln, e)
	}
}

// writeAndReset connects an endpoint, writes once, and makes it ready for the next connection.
func writeAndReset(t *testing.T, a *side, ln *rdma.Listener, e *rdma.Endpoint) {
	t.Helper()
	accepted := make(chan error, 1)
	var peer *rdma.Conn
	go func() {
		var err error
		peer, err = (<-ln.Requests()).Accept(within(t), rdma.EndpointConfig{Zone: a.zone})
		accepted <- err
	}()
	conn, err := e.Connect(within(t), ln.Addr().String(), rdma.ConnConfig{})
	must(t, err)
	must(t, <-accepted)
	_, err = conn.Write(within(t), a.mem.Slice(0, 8), a.mem.Slice(8, 8).Remote())
	must(t, err)
	must(t, e.Abort())
	<-conn.Context().Done()
	must(t, e.Reset())
	must(t, peer.Endpoint().Close())
}
