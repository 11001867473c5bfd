package soft

import "sync/atomic"

// Rounds counts what adapters do on goroutines of their own. Connections that
// do nothing make none, and that can be tested as a count, where the
// processor's time depends on the machine.
type Rounds struct {
	Jobs   uint64 // of the engine
	Events uint64 // reports of the poller
	Looks  uint64 // at connections that a consumer polled
}

// Since is what has been added since from.
func (r Rounds) Since(from Rounds) Rounds {
	return Rounds{r.Jobs - from.Jobs, r.Events - from.Events, r.Looks - from.Looks}
}

// Plus is the sum of both.
func (r Rounds) Plus(x Rounds) Rounds {
	return Rounds{r.Jobs + x.Jobs, r.Events + x.Events, r.Looks + x.Looks}
}

// rounds are those of one adapter.
type rounds struct{ jobs, events, looks atomic.Uint64 }

func (r *rounds) sum() Rounds { return Rounds{r.jobs.Load(), r.events.Load(), r.looks.Load()} }
