package soft

import (
	"sync"
	"sync/atomic"
)

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

// rounds are those of one adapter.
type rounds struct{ jobs, events, looks atomic.Uint64 }

// opened lists the adapters that are open.
var opened = struct {
	mu sync.Mutex
	m  map[*adapter]struct{}
}{m: make(map[*adapter]struct{})}

// AllRounds is how many rounds the adapters that are open now have made so far.
func AllRounds() (all Rounds) {
	opened.mu.Lock()
	defer opened.mu.Unlock()
	for a := range opened.m {
		all.Jobs += a.rounds.jobs.Load()
		all.Events += a.rounds.events.Load()
		all.Looks += a.rounds.looks.Load()
	}
	return all
}

// enroll and strike keep the list.
func (a *adapter) enroll() {
	opened.mu.Lock()
	opened.m[a] = struct{}{}
	opened.mu.Unlock()
}

func (a *adapter) strike() {
	opened.mu.Lock()
	delete(opened.m, a)
	opened.mu.Unlock()
}
