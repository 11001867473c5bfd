package debug

import (
	"fmt"
	"time"

	"github.com/godapl/godapl/internal/quantity"
	"github.com/godapl/godapl/rdma"
	"github.com/godapl/godapl/rdma/status"
)

// Latency says how long the operations of one kind took, from the post to the completion. P50, P99 and Max are
// bounds: see rdma.Latency.
type Latency struct {
	Op    string        `json:"op"`
	Count uint64        `json:"count"`
	Mean  time.Duration `json:"mean_ns"`
	P50   time.Duration `json:"p50_ns"`
	P99   time.Duration `json:"p99_ns"`
	Max   time.Duration `json:"max_ns"`
	// Buckets are those that are not empty.
	Buckets []Bucket `json:"buckets"`
}

// A Bucket counts times that are below a bound and not below that of the bucket before.
type Bucket struct {
	Below time.Duration `json:"below_ns"`
	Count uint64        `json:"count"`
}

// String is a line: "write: 1200, half below 1.3 µs, 99 % below 5.1 µs, all below 41.0 µs".
func (l Latency) String() string {
	return fmt.Sprintf("%s: %d, half below %s, 99 %% below %s, all below %s", l.Op, l.Count, quantity.Latency(l.P50), quantity.Latency(l.P99), quantity.Latency(l.Max))
}

func latencyOf(s *rdma.Stats) (list []Latency, worst time.Duration) {
	for op := range rdma.OpRecv {
		h := s.Latency[op]
		if h == nil || h.Count == 0 {
			continue
		}
		l := Latency{Op: op.String(), Count: h.Count, Mean: h.Sum / time.Duration(h.Count),
			P50: h.Quantile(0.5), P99: h.Quantile(0.99), Max: h.Quantile(1)}
		for i, n := range h.Buckets {
			if n > 0 {
				l.Buckets = append(l.Buckets, Bucket{status.LatencyBound(i), n})
			}
		}
		worst = max(worst, l.P99)
		list = append(list, l)
	}
	return list, worst
}
