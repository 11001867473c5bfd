package rdma

import (
	"github.com/godapl/godapl/internal/hca"
	"github.com/godapl/godapl/rdma/status"
)

// Latency is a histogram of the times that operations took. See Stats.Latency.
type Latency = status.Latency

// latencyOf lists the histograms of a connection; nil if there are none, as for most.
func latencyOf(q *hca.QPStats) (all map[Op]*Latency) {
	for op, h := range q.Latency {
		if h != nil {
			if all == nil {
				all = map[Op]*Latency{}
			}
			all[Op(op)] = h
		}
	}
	return all
}

// addLatency adds the histograms of x. Those of s must be its own.
func (s *Stats) addLatency(x *Stats) {
	if s.Latency == nil && len(x.Latency) > 0 {
		s.Latency = map[Op]*Latency{}
	}
	for op, h := range x.Latency {
		if s.Latency[op] == nil {
			s.Latency[op] = new(Latency)
		}
		s.Latency[op].Add(h)
	}
}

// ownLatency copies the histograms, so that others can be added.
func (s *Stats) ownLatency() {
	shared := s.Latency
	s.Latency = nil
	s.addLatency(&Stats{Latency: shared})
}
