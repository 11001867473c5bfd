package metrics_test

import (
	"context"
	"encoding/json"
	"testing"
	"time"

	"github.com/godapl/godapl/rdma"
	"github.com/godapl/godapl/rdma/mem"
	"github.com/godapl/godapl/rdma/metrics"
	"github.com/godapl/godapl/rdma/rdmatest"
)

// TestBuckets: cumulative buckets count each time once, and the sum of all is the count.
func TestBuckets(t *testing.T) {
	var h rdma.Latency
	for _, d := range []time.Duration{0, 63, 64, 100, 128, time.Microsecond, time.Second, time.Hour} {
		h.Record(d)
	}
	got := metrics.Buckets(&h)
	if len(got) != 30 {
		t.Errorf("%d buckets", len(got))
	}
	for bound, want := range map[float64]uint64{64e-9: 2, 128e-9: 4, 256e-9: 5, 1024e-9: 6, (1 << 30) * 1e-9: 7} {
		if n, ok := got[time.Duration(bound*1e9+0.5).Seconds()]; !ok || n != want {
			t.Errorf("%d below %v (%t), want %d", n, bound, ok, want)
		}
	}
	if h.Count != 8 {
		t.Error(h.Count)
	}
}

// TestReadHistogram: a measured operation has a histogram for expvar.
func TestReadHistogram(t *testing.T) {
	t.Setenv("GODAPL_LATENCY", "1")
	a, b := rdmatest.PairOn(t, "soft-loop", rdma.EndpointConfig{})
	from, err := a.Zone().Alloc(100, mem.LocalRead)
	if err != nil {
		t.Fatal(err)
	}
	to, err := b.Zone().Alloc(100, mem.RemoteWrite)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := a.Write(context.Background(), from.Slice(0, 100), to.Remote()); err != nil {
		t.Fatal(err)
	}
	var values map[string]json.RawMessage
	if err := json.Unmarshal([]byte(metrics.Var(a.Zone().Adapter()).String()), &values); err != nil {
		t.Fatal(err)
	}
	var h struct {
		Count         uint64
		Sum, P50, Max float64
		Buckets       map[string]uint64
	}
	if err := json.Unmarshal(values["/rdma/latency/write:seconds"], &h); err != nil || h.Count != 1 || h.Sum <= 0 || h.Max < h.Sum || h.Max != h.P50 || len(h.Buckets) != 30 {
		t.Errorf("%v %+v", err, h)
	}
	if _, ok := values["/rdma/latency/read:seconds"]; ok {
		t.Error("an operation that nobody did has a histogram")
	}
}
