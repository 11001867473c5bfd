package rdma

import "github.com/godapl/godapl/internal/hca"

// update brings the counters of a connection up to date. Two looks at the same time may end in either order, so counts
// never go back.
func (s *Stats) update(q *hca.QPStats) {
	grow := func(n *uint64, now uint64) { *n = max(*n, now) }
	for i := range s.Ops {
		grow(&s.Ops[i].Operations, q.Ops[i].N)
		grow(&s.Ops[i].Bytes, q.Ops[i].Bytes)
	}
	for i := range s.Completions {
		n := q.Failed[i]
		if Status(i) == StatusOK {
			for op := range s.Ops {
				n += q.Ops[op].N
			}
		}
		grow(&s.Completions[i], n)
	}
	grow(&s.ReceiveWaits, q.ReceiveWaits)
	grow(&s.SendStalls, q.SendStalls)
	grow(&s.SendHigh, q.SendHigh)
	grow(&s.Retransmits, q.Retransmits)
	s.ReceiveWait, s.SendStall = max(s.ReceiveWait, q.ReceiveWait), max(s.SendStall, q.SendStall)
	s.ReceiveWaitNow, s.SendStallNow, s.Requests, s.Receives = q.ReceiveWaitNow, q.SendStallNow, q.Requests, q.Receives
	latest := latencyOf(q)
	for op, h := range s.Latency {
		if latest[op] == nil || latest[op].Count < h.Count {
			return
		}
	}
	s.Latency = latest // a map that is not changed: callers have the former one
}
