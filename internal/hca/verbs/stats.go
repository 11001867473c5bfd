package verbs

import (
	"runtime"
	"sync"
	"time"

	"github.com/godapl/godapl/internal/hca"
)

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
func (q *qp) ReadStats(s *hca.QPStats) bool {
	if !lockSoon(&q.scq.mu) {
		return false
	}
	sent, latency := q.sent, q.latency.read()
	q.scq.mu.Unlock()
	if !lockSoon(&q.rcq.mu) {
		return false
	}
	received := q.got
	q.rcq.mu.Unlock()
	*s = hca.QPStats{Ops: sent.ops, Failed: sent.failed, Latency: latency}
	copy(s.Ops[hca.OpRecv:], received.ops[hca.OpRecv:])
	for i, n := range received.failed {
		s.Failed[i] += n
	}
	return true
}

// ReadFlight implements hca.FlightReader. The device alone knows which requests are not complete.
func (q *qp) ReadFlight() (requests, receives, outstanding hca.Flight, ok bool) {
	if q.flight == nil {
		return nil, nil, nil, true
	}
	if !lockSoon(&q.scq.mu) {
		return nil, nil, nil, false
	}
	requests = q.flight.Sent.Events()
	q.scq.mu.Unlock()
	if !lockSoon(&q.rcq.mu) {
		return requests, nil, nil, false
	}
	defer q.rcq.mu.Unlock()
	return requests, q.flight.Received.Events(), nil, true
}

// lockSoon takes a lock, or reports false after a tenth of a second.
func lockSoon(mu *sync.Mutex) bool {
	for end := time.Now().Add(100 * time.Millisecond); !mu.TryLock(); runtime.Gosched() {
		if time.Now().After(end) {
			return false
		}
	}
	return true
}

// ReadStats implements hca.CQStatsReader.
func (c *cq) ReadStats() hca.CQStats {
	if !lockSoon(&c.mu) { // a goroutine is inside a driver that does not come back
		if last := c.lastStats.Load(); last != nil {
			return *last
		}
		return hca.CQStats{}
	}
	defer c.mu.Unlock()
	s := c.stats
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
	_ hca.CQStatsReader = (*cq)(nil)
)
