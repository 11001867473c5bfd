package rdma

import "github.com/godapl/godapl/internal/hca"

// QueueStats is what a completion queue has done so far, or all those of an adapter.
type QueueStats struct {
	Depth      int    // how many completions fit
	Taken      uint64 // completions that were taken from the adapter's queue
	Waiting    uint64 // completions that wait there now; of a device's, those that were not read from it do not count
	High       uint64 // the largest number that a poll has found waiting
	EmptyPolls uint64 // polls that found nothing
	Arms       uint64 // how often a consumer has gone to wait
	Wakes      uint64 // how often the adapter has woken it
	Overflows  uint64 // completions were lost, and the connections broke; a device's queue is useless then
}

func (s *QueueStats) add(x QueueStats) {
	s.Depth += x.Depth
	s.Taken += x.Taken
	s.Waiting += x.Waiting
	s.High = max(s.High, x.High)
	s.EmptyPolls += x.EmptyPolls
	s.Arms += x.Arms
	s.Wakes += x.Wakes
	s.Overflows += x.Overflows
}

// Stats returns the counters of the queue. A program that polls has many EmptyPolls and few Wakes, one
// that waits has the opposite. The counters are not of one instant. Stats waits for a tenth of a second at
// most, if a goroutine is inside a device's driver, and returns the counters of the call before then. It
// may be called from anywhere, also after Close. The dispatcher has counters of its own:
// [event.Dispatcher.Stats].
func (q *CompletionQueue) Stats() QueueStats { return q.stats(hca.NewPatience(false)) }

func (q *CompletionQueue) stats(p *hca.Patience) QueueStats {
	if r, ok := q.cq.(hca.CQStatsReader); ok {
		return QueueStats(r.ReadStats(p))
	}
	return QueueStats{}
}
