package verbs

import "github.com/godapl/godapl/internal/hca"

// tally is what one half of a queue pair has done. The mu of its completion queue guards it.
type tally struct {
	ops    [16]hca.OpStats
	failed [16]uint64
}

func (t *tally) count(op hca.Op, status hca.Status, n uint64) {
	if status != hca.StatusOK {
		t.failed[status&15]++
		return
	}
	t.ops[op&15].N++
	t.ops[op&15].Bytes += n
}

// ReadStats implements hca.QPStatsReader. The device does not tell which message waited for a receive, and
// counts what it sends again per port only: see package sysrdma.
func (q *qp) ReadStats(s *hca.QPStats, p *hca.Patience) bool {
	if !p.Enter(q.scq.mu.TryLock) {
		return false
	}
	sent, latency := q.sent, q.latency.read()
	q.scq.mu.Unlock()
	if !p.Enter(q.rcq.mu.TryLock) {
		return false
	}
	received := q.got
	q.rcq.mu.Unlock()
	*s = hca.QPStats{Ops: sent.ops, Failed: sent.failed, Latency: latency, Requests: q.send.outstanding()}
	if q.srq == nil {
		s.Receives = q.recv.outstanding()
	}
	copy(s.Ops[hca.OpRecv:], received.ops[hca.OpRecv:])
	for i, n := range received.failed {
		s.Failed[i] += n
	}
	return true
}

// ReadFlight implements hca.FlightReader. The device alone knows which requests are not complete.
func (q *qp) ReadFlight(p *hca.Patience) (requests, receives, outstanding hca.Flight, ok bool) {
	if q.flight == nil {
		return nil, nil, nil, true
	}
	if !p.Enter(q.scq.mu.TryLock) {
		return nil, nil, nil, false
	}
	requests = q.flight.Sent.Events()
	q.scq.mu.Unlock()
	if !p.Enter(q.rcq.mu.TryLock) {
		return requests, nil, nil, false
	}
	defer q.rcq.mu.Unlock()
	return requests, q.flight.Received.Events(), nil, true
}

// Settle implements hca.Settler. It polls the device.
func (q *qp) Settle(p *hca.Patience) {
	for _, c := range []*cq{q.scq, q.rcq} {
		if p.Enter(c.mu.TryLock) {
			c.pull()
			c.finish()
		}
		if q.scq == q.rcq {
			return
		}
	}
}

// ReadStats implements hca.CQStatsReader.
func (c *cq) ReadStats(p *hca.Patience) hca.CQStats {
	if !p.Enter(c.mu.TryLock) { // a goroutine is inside a driver that does not come back
		if last := c.lastStats.Load(); last != nil {
			return *last
		}
		return hca.CQStats{}
	}
	defer c.mu.Unlock()
	s := c.stats
	s.Depth = c.depth
	s.Waiting = uint64(c.ready.len())
	s.High = max(s.High, s.Waiting)
	c.lastStats.Store(&s)
	return s
}

// polled counts a poll of the consumer that took n entries. Called with mu held.
func (c *cq) polled(n int) {
	if n == 0 {
		c.stats.EmptyPolls++
		return
	}
	c.stats.Taken += uint64(n)
	c.stats.High = max(c.stats.High, uint64(n+c.ready.len()))
}

var (
	_ hca.QPStatsReader = (*qp)(nil)
	_ hca.Settler       = (*qp)(nil)
	_ hca.CQStatsReader = (*cq)(nil)
)
