package stream_test

import (
	"context"
	"net"
	"sync"
	"testing"
	"testing/synctest"

	"github.com/godapl/godapl/rdma"
	"github.com/godapl/godapl/rdma/internal/stream"
	"github.com/godapl/godapl/rdma/internal/stream/streamtest"
)

// TestBurst: many more peers ask together than a listener has places for, and none is refused because the listener's
// goroutine comes to them later.
func TestBurst(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := streamtest.Open(t, "soft-loop")
		zone, err := a.NewZone()
		streamtest.Must(t, err)
		busy := make(chan struct{})
		ln, err := stream.Listen(t.Context(), a, "test", streamtest.Place(a), func(*rdma.ConnRequest) (*stream.Attempt, error) {
			<-busy
			cq, err := a.NewCompletionQueue(rdma.CompletionQueueConfig{Depth: 8})
			streamtest.Must(t, err)
			ep, err := a.NewEndpoint(rdma.EndpointConfig{Zone: zone, SendDepth: 1, RecvDepth: 1, SendCQ: cq, RecvCQ: cq})
			streamtest.Must(t, err)
			return &stream.Attempt{
				Endpoint: ep, Free: func() {},
				Made: func(*rdma.Conn) (net.Conn, error) { c, _ := net.Pipe(); return c, nil },
			}, nil
		})
		streamtest.Must(t, err)
		const peers = 4 * stream.Backlog
		var dials sync.WaitGroup
		dials.Go(func() {
			for range peers {
				if _, err := ln.Accept(); err != nil {
					t.Error(err)
				}
			}
		})
		for range peers {
			dials.Go(func() {
				if _, err := a.Dial(context.Background(), ln.Addr().String(), rdma.EndpointConfig{Zone: zone}); err != nil {
					t.Error(err)
				}
			})
		}
		synctest.Wait()
		close(busy)
		dials.Wait()
		streamtest.Must(t, ln.Close())
	})
}
