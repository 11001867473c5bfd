package debug

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"github.com/godapl/godapl/rdma"
	"github.com/godapl/godapl/rdma/mem"
	"github.com/godapl/godapl/rdma/rdmatest"
)

// TestLatencies: the page and the JSON have what was measured, of connections that measure.
func TestLatencies(t *testing.T) {
	t.Setenv("GODAPL_LATENCY", "1")
	a, b := rdmatest.Pair(t)
	t.Setenv("GODAPL_LATENCY", "0")
	c, _ := rdmatest.Pair(t)
	to, err := b.Zone().Alloc(64, mem.RemoteWrite)
	if err != nil {
		t.Fatal(err)
	}
	from, err := a.Zone().Alloc(64, mem.LocalRead)
	if err != nil {
		t.Fatal(err)
	}
	for range 3 {
		if _, err := a.Write(context.Background(), from.Slice(0, 64), to.Remote()); err != nil {
			t.Fatal(err)
		}
	}
	v := &viewer{adapters: []*rdma.Adapter{a.Endpoint().Adapter(), c.Endpoint().Adapter()}}
	body := get(v, "").Body.String()
	if n := strings.Count(body, "<details data-key"); n != 1 || !strings.Contains(body, "write: 3, half below ") {
		t.Errorf("%d rows of 2 have times:\n%s", n, body)
	}
	var s Snapshot
	if err := json.Unmarshal(get(v, "?format=json&sort=-p99").Body.Bytes(), &s); err != nil {
		t.Fatal(err)
	}
	if len(s.Conns) < 2 || len(s.Conns[0].Latency) != 1 || len(s.Conns[len(s.Conns)-1].Latency) != 0 {
		t.Fatalf("%+v", s.Conns)
	}
	l := s.Conns[0].Latency[0]
	n := uint64(0)
	for _, b := range l.Buckets {
		n += b.Count
	}
	if l.Op != "write" || l.Count != 3 || n != 3 || l.P50 > l.P99 || l.P99 > l.Max || s.Conns[0].P99 != l.P99 || l.Mean <= 0 {
		t.Errorf("%+v", l)
	}
}
