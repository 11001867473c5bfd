package metrics

import (
	"strconv"

	"github.com/godapl/godapl/rdma"
	"github.com/godapl/godapl/rdma/status"
)

// octave is how many of the library's buckets become one of [Buckets].
const octave = 4

// Buckets returns the histogram in cumulative buckets, as Prometheus has them: how many times are below each
// bound in seconds. Bounds are powers of two of nanoseconds, from 64 ns to 34 s; all times, the longer ones
// included, are h.Count.
func Buckets(h *rdma.Latency) map[float64]uint64 {
	list := make(map[float64]uint64, status.LatencyRanges/octave)
	n := uint64(0)
	for i, k := range h.Buckets[:status.LatencyRanges-1] {
		if n += k; i%octave == 0 {
			list[status.LatencyBound(i).Seconds()] = n
		}
	}
	return list
}

// summary is a histogram for expvar.
type summary struct {
	Count   uint64            `json:"count"`
	Sum     float64           `json:"sum"`
	P50     float64           `json:"p50"`
	P99     float64           `json:"p99"`
	Max     float64           `json:"max"`
	Buckets map[string]uint64 `json:"buckets"`
}

func summaryOf(h *rdma.Latency) summary {
	seconds := func(part float64) float64 { return h.Quantile(part).Seconds() }
	s := summary{h.Count, h.Sum.Seconds(), seconds(0.5), seconds(0.99), seconds(1), map[string]uint64{}}
	for bound, n := range Buckets(h) {
		s.Buckets[strconv.FormatFloat(bound, 'g', -1, 64)] = n
	}
	return s
}
