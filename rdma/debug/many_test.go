package debug

import (
	"context"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/godapl/godapl/rdma"
	"github.com/godapl/godapl/rdma/mem"
)

// crowd is an adapter with n connections to itself, which share a completion queue.
func crowd(t testing.TB, n int) (a *rdma.Adapter, clients, servers []*rdma.Conn) {
	t.Helper()
	ctx := t.Context()
	check := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	a, err := rdma.Open(ctx, "soft-loop", rdma.OpenConfig{})
	check(err)
	t.Cleanup(func() { a.Close() })
	zone, err := a.NewZone()
	check(err)
	cq, err := a.NewCompletionQueue(rdma.CompletionQueueConfig{Depth: 4*n + 1024})
	check(err)
	cfg := rdma.EndpointConfig{Zone: zone, SendDepth: 1, RecvDepth: 1, SendCQ: cq, RecvCQ: cq}
	ln, err := a.Listen(ctx, "127.0.0.1:0", rdma.ListenConfig{})
	check(err)
	defer ln.Close()
	accepted := make(chan error, 1)
	go func() {
		for range n {
			c, err := (<-ln.Requests()).Accept(ctx, cfg)
			if err != nil {
				accepted <- err
				return
			}
			servers = append(servers, c)
		}
		accepted <- nil
	}()
	for range n {
		c, err := a.Dial(ctx, ln.Addr().String(), cfg)
		check(err)
		clients = append(clients, c)
	}
	check(<-accepted)
	return a, clients, servers
}

// TestTenThousandConnections: the page has them all, finds one by its number, and every write that goes on meanwhile
// succeeds.
func TestTenThousandConnections(t *testing.T) {
	n := 10_000
	if testing.Short() {
		n = 500
	}
	a, clients, servers := crowd(t, n)
	v := &viewer{adapters: []*rdma.Adapter{a}}
	memory, err := clients[0].Zone().Alloc(64, mem.All)
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	var work sync.WaitGroup
	begun := make(chan struct{})
	written := uint64(0)
	work.Go(func() {
		begin := sync.OnceFunc(func() { close(begun) })
		defer begin()
		for i := 0; ctx.Err() == nil; i++ {
			if _, err := clients[i%len(clients)].Write(t.Context(), memory.Slice(0, 8), memory.Slice(8, 8).Remote()); err != nil {
				t.Error(err)
				return
			}
			written++
			begin()
		}
	})
	<-begun
	for _, query := range []string{"", "?sort=-bytes&page=7", "?format=json", "?q=" + servers[n/2].LocalAddr().String()} {
		if w := get(v, query); w.Code != http.StatusOK || w.Body.Len() == 0 {
			t.Errorf("%s: %d", query, w.Code)
		}
	}
	stop()
	work.Wait()
	s := a.Stats()
	if s.Connections() != 2*uint64(n) || s.Ops[rdma.OpWrite].Operations != written || s.Completions[rdma.StatusOK] != written {
		t.Errorf("%d of %d ends of connections, %d of %d writes", s.Connections(), 2*n, s.Ops[rdma.OpWrite].Operations, written)
	}
	look := v.take(time.Now())
	if look.Total != 2*n || len(look.Conns) != 2*n {
		t.Fatalf("%d of %d endpoints", look.Total, 2*n)
	}
	seen := map[int]bool{}
	var ops uint64
	for _, c := range look.Conns {
		seen[c.Endpoint] = true
		if ops += c.Operations; c.Stale || c.State != "connected" || c.Peer == "" {
			t.Fatalf("%+v", c)
		}
	}
	if len(seen) != 2*n || ops != written {
		t.Errorf("%d of %d endpoints, %d of %d operations", len(seen), 2*n, ops, written)
	}
	if body := get(v, "").Body.String(); strings.Count(body, "<td>connected</td>") != rows {
		t.Errorf("%d rows on a page", strings.Count(body, "<td>connected</td>"))
	}
}
