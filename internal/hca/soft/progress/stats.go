package progress

import "sync/atomic"

// Stats counts what adapters do on goroutines of their own. Connections that
// do nothing make none, and that can be tested as a count, where the
// processor's time depends on the machine.
type Stats struct {
	Jobs   uint64 // of the engine
	Events uint64 // reports of the poller
	Looks  uint64 // at connections that a consumer polled
}

// Since is what has been added since from.
func (r Stats) Since(from Stats) Stats {
	return Stats{r.Jobs - from.Jobs, r.Events - from.Events, r.Looks - from.Looks}
}

// Plus is the sum of both.
func (r Stats) Plus(x Stats) Stats {
	return Stats{r.Jobs + x.Jobs, r.Events + x.Events, r.Looks + x.Looks}
}

// Counters are those of one adapter.
type Counters struct{ jobs, Events, looks atomic.Uint64 }

func (r *Counters) Sum() Stats { return Stats{r.jobs.Load(), r.Events.Load(), r.looks.Load()} }
