package soft

import (
	"sync"

	"github.com/godapl/godapl/internal/hca/soft/core"
	"github.com/godapl/godapl/internal/hca/soft/progress"
)

// opened lists the adapters that are open.
var opened = struct {
	mu sync.Mutex
	m  map[*core.Adapter]struct{}
}{m: make(map[*core.Adapter]struct{})}

// AllRounds returns the counters of all adapters that are open now.
func AllRounds() (all progress.Stats) {
	opened.mu.Lock()
	defer opened.mu.Unlock()
	for a := range opened.m {
		all = all.Plus(a.Rounds.Sum())
	}
	return all
}

// enroll and strike maintain the list.
func (a *adapter) enroll() {
	opened.mu.Lock()
	opened.m[a.Adapter] = struct{}{}
	opened.mu.Unlock()
}

func (a *adapter) strike() {
	opened.mu.Lock()
	delete(opened.m, a.Adapter)
	opened.mu.Unlock()
}
