package hcatest_test

import (
	"errors"

	"github.com/godapl/godapl/internal/hca"
)

func qpStats(f func(*hca.QPStats)) func() *defect {
	return func() *defect { return &defect{qpStats: f} }
}

func cqStats(f func(*hca.CQStats)) func() *defect {
	return func() *defect { return &defect{cqStats: f} }
}

func resizes(f func(q hca.CQ, depth int) error) func() *defect {
	return func() *defect { return &defect{resize: f} }
}

var brokenQueues = []broken{
	{"counts no bytes", qpStats(func(s *hca.QPStats) {
		for op := range s.Ops {
			s.Ops[op].Bytes = 0
		}
	}), []string{"statistics/count each kind", "statistics/are read while"}},
	{"counts sends as writes", qpStats(func(s *hca.QPStats) {
		s.Ops[hca.OpSend], s.Ops[hca.OpWrite] = s.Ops[hca.OpWrite], s.Ops[hca.OpSend]
	}), []string{"statistics/count each kind"}},
	{"counts one atomic as the other", qpStats(func(s *hca.QPStats) {
		s.Ops[hca.OpFetchAdd], s.Ops[hca.OpCompareSwap] = s.Ops[hca.OpCompareSwap], s.Ops[hca.OpFetchAdd]
	}), []string{"statistics/count each kind"}},
	{"counts no failures", qpStats(func(s *hca.QPStats) { clear(s.Failed[:]) }), []string{"statistics/count failures"}},
	{"counts no entry that is taken", cqStats(func(s *hca.CQStats) { s.Taken = 0 }), []string{"statistics/of a completion queue"}},
	{"counts no empty poll", cqStats(func(s *hca.CQStats) { s.EmptyPolls = 0 }), []string{"statistics/of a completion queue"}},
	{"counts no wake-up", cqStats(func(s *hca.CQStats) { s.Wakes = 0 }), []string{"statistics/of a completion queue"}},
	{"counts no overflow", cqStats(func(s *hca.CQStats) { s.Overflows = 0 }), []string{"completion queue/overflow is reported"}},
	{"loses what waits when it is resized", resizes(func(q hca.CQ, depth int) error {
		q.Poll(make([]hca.WC, 100))
		return q.Resize(depth)
	}), []string{"completion queue/resize loses nothing", "completion queue/a poll takes all"}},
	{"keeps its depth when it is resized", resizes(func(hca.CQ, int) error { return nil }),
		[]string{"completion queue/resize loses nothing", "completion queue/resize below", "completion queue/resize to nothing"}},
	{"takes a depth below what waits", resizes(func(q hca.CQ, depth int) error {
		if err := q.Resize(depth); !errors.Is(err, hca.State) {
			return err
		}
		return nil
	}), []string{"completion queue/resize below"}},
}
