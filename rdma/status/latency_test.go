package status_test

import (
	"math"
	"testing"
	"time"

	"github.com/godapl/godapl/rdma/status"
)

// TestLatencyBuckets: each time is in the bucket whose bounds are around it, and buckets are narrow.
func TestLatencyBuckets(t *testing.T) {
	for _, ns := range []int64{-5, 0, 1, 63, 64, 79, 80, 95, 96, 127, 128, 999, 1000, 1e6, 1e9, 1<<35 - 1, 1 << 35, math.MaxInt64} {
		var h status.Latency
		h.Record(time.Duration(ns))
		for i, n := range h.Buckets {
			if n == 0 {
				continue
			}
			above := time.Duration(ns) >= status.LatencyBound(i) && i < status.LatencyRanges-1
			if below := i > 0 && time.Duration(ns) < status.LatencyBound(i-1); above || below || h.Count != 1 || h.Sum != time.Duration(max(ns, 0)) {
				t.Errorf("%d ns is in bucket %d, which ends at %v, as %+v", ns, i, status.LatencyBound(i), h.Count)
			}
		}
	}
	for i := 1; i < status.LatencyRanges-1; i++ {
		from, to := status.LatencyBound(i-1), status.LatencyBound(i)
		if to <= from || float64(to) > 1.25*float64(from) {
			t.Errorf("bucket %d is from %v to %v", i, from, to)
		}
	}
}

// TestLatencyQuantile: a quantile is the bound of its bucket, also of sums.
func TestLatencyQuantile(t *testing.T) {
	var h, slow status.Latency
	if h.Quantile(0.5) != 0 {
		t.Error("an empty histogram has a median")
	}
	for range 98 {
		h.Record(time.Microsecond)
	}
	slow.Record(time.Millisecond)
	slow.Record(time.Second)
	h.Add(&slow)
	for _, c := range []struct {
		part float64
		want time.Duration
	}{{0, time.Microsecond}, {0.5, time.Microsecond}, {0.98, time.Microsecond}, {0.99, time.Millisecond}, {1, time.Second}, {7, time.Second}} {
		if got := h.Quantile(c.part); got < c.want || float64(got) > 1.25*float64(c.want) {
			t.Errorf("quantile %v is %v, want %v", c.part, got, c.want)
		}
	}
}

// TestLatencyAllocs: recording allocates nothing.
func TestLatencyAllocs(t *testing.T) {
	h := new(status.Latency)
	if n := testing.AllocsPerRun(100, func() { h.Record(300) }); n != 0 {
		t.Errorf("%v allocations", n)
	}
}
