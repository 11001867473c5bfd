package rdma_test

import (
	"context"
	"testing"

	"github.com/godapl/godapl/rdma"
)

// fresh looks until it gets in everywhere: on a busy machine, a goroutine may be stopped while it holds a connection.
func fresh(a *rdma.Adapter) rdma.AdapterStats {
	s := a.Stats()
	for s.Stale {
		s = a.Stats()
	}
	return s
}

// TestStatsOutliveTheConnection: the counts of a connection move to its endpoint when that is reset, and to its
// adapter when it is closed, and are in each sum once.
func TestStatsOutliveTheConnection(t *testing.T) {
	onEveryPath(t, func(t *testing.T, name string) {
		y, to := connect(t, name)
		a, e := y.adapter, y.conn.Endpoint()
		const n = 5
		for range n {
			if _, err := y.conn.Write(context.Background(), y.mem.Slice(0, 8), to.mem.Slice(0, 8).Remote()); err != nil {
				t.Fatal(err)
			}
		}
		check := func(when string, live uint64) {
			t.Helper()
			want := rdma.OpStats{Operations: n, Bytes: 8 * n}
			s := fresh(a)
			if got := s.Ops[rdma.OpWrite]; got != want {
				t.Errorf("%s: the adapter counts %+v, want %+v", when, got, want)
			}
			if got := e.Stats().Ops[rdma.OpWrite]; got != want {
				t.Errorf("%s: the endpoint counts %+v, want %+v", when, got, want)
			}
			if got := y.conn.Stats().Ops[rdma.OpWrite]; got != want {
				t.Errorf("%s: the connection counts %+v, want %+v", when, got, want)
			}
			if s.Established != 1 || s.Connections() != live || s.Completions[rdma.StatusOK] < n {
				t.Errorf("%s: %d made, %d now, %d completions", when, s.Established, s.Connections(), s.Completions[rdma.StatusOK])
			}
		}
		check("alive", 1)
		e.Abort()
		<-y.conn.Context().Done()
		check("over", 0)
		if err := e.Reset(); err != nil {
			t.Fatal(err)
		}
		check("reset", 0)
		e.Close()
		check("closed", 0)
		taken := a.Stats().Queues.Taken
		if err := a.Close(); err != nil {
			t.Fatal(err)
		}
		check("adapter closed", 0)
		if s := a.Stats(); s.Queues.Taken != taken || s.Endpoints+s.Zones+s.Listeners+s.Regions+s.CompletionQueues != 0 {
			t.Errorf("closed: %+v", s)
		}
	})
}

// TestStatsCountMemory: registered bytes follow the regions.
func TestStatsCountMemory(t *testing.T) {
	a := open(t, "soft-loop")
	z, err := a.NewZone()
	if err != nil {
		t.Fatal(err)
	}
	r, err := z.Register(make([]byte, 1000), 0)
	if err != nil {
		t.Fatal(err)
	}
	if s := a.Stats(); s.Regions != 1 || s.RegisteredBytes != 1000 || s.Zones != 1 {
		t.Errorf("%d regions with %d bytes", s.Regions, s.RegisteredBytes)
	}
	r.Free()
	if s := a.Stats(); s.Regions != 0 || s.RegisteredBytes != 0 {
		t.Errorf("freed: %d regions with %d bytes", s.Regions, s.RegisteredBytes)
	}
}

// TestStatsCountEarlyReceives: receives that were posted before any connection complete when the endpoint is closed, and
// count as others do.
func TestStatsCountEarlyReceives(t *testing.T) {
	a := newSide(t, "soft-loop")
	cq, err := a.adapter.NewCompletionQueue(rdma.CompletionQueueConfig{Depth: 8})
	must(t, err)
	e, err := a.adapter.NewEndpoint(rdma.EndpointConfig{Zone: a.zone, RecvCQ: cq})
	must(t, err)
	const n = 3
	for range n {
		must(t, e.PostRecv(rdma.Recv{Into: a.mem.Slice(0, 8)}))
	}
	must(t, e.Close())
	for _, c := range take(t, cq.Dispatcher(), n) {
		if c.Status != rdma.StatusFlushed {
			t.Errorf("%+v", c)
		}
	}
	if of, all := e.Stats(), a.adapter.Stats(); of.Completions[rdma.StatusFlushed] != n || all.Completions[rdma.StatusFlushed] != n || all.Receives != 0 {
		t.Errorf("the endpoint counts %d flushed receives and the adapter %d, want %d", of.Completions[rdma.StatusFlushed], all.Completions[rdma.StatusFlushed], n)
	}
}
