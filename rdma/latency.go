package rdma

import "github.com/godapl/godapl/rdma/status"

// Latency is a histogram of the times that operations took. See Stats.Latency.
type Latency = status.Latency

// addLatency adds the histograms of x. Those of s must be its own.
func (s *Stats) addLatency(x *Stats) {
	for op, h := range x.Latency {
		switch {
		case h == nil:
		case s.Latency[op] == nil:
			own := *h
			s.Latency[op] = &own
		default:
			s.Latency[op].Add(h)
		}
	}
}

// ownLatency copies the histograms, so that others can be added.
func (s *Stats) ownLatency() {
	for op, h := range s.Latency {
		if h != nil {
			own := *h
			s.Latency[op] = &own
		}
	}
}
