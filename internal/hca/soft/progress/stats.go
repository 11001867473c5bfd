package progress

import "sync/atomic"

// Stats counts what adapters do on their own goroutines. Idle connections cause none of it; a test can check
// that as a count, where processor time would depend on the machine.
type Stats struct {
	Jobs        uint64 // of the engine
	Events      uint64 // reports of the poller
	WatchRounds uint64 // rounds of the watch
}

// Since returns what was added since from.
func (r Stats) Since(from Stats) Stats {
	return Stats{r.Jobs - from.Jobs, r.Events - from.Events, r.WatchRounds - from.WatchRounds}
}

// Plus is the sum of both.
func (r Stats) Plus(x Stats) Stats {
	return Stats{r.Jobs + x.Jobs, r.Events + x.Events, r.WatchRounds + x.WatchRounds}
}

// Counters are the counters of one adapter.
type Counters struct{ jobs, Events, looks atomic.Uint64 }

func (r *Counters) Sum() Stats { return Stats{r.jobs.Load(), r.Events.Load(), r.looks.Load()} }
