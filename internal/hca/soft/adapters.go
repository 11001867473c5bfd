package soft

import (
	"sync"

	"github.com/godapl/godapl/internal/hca/soft/core"
	"github.com/godapl/godapl/internal/hca/soft/progress"
)

// opened lists the adapters that are open.
var openAdapters = struct {
	mu sync.Mutex
	m  map[*core.Adapter]struct{}
}{m: make(map[*core.Adapter]struct{})}

// AllStats returns the counters of all adapters that are open now.
func AllStats() (all progress.Stats) {
	openAdapters.mu.Lock()
	defer openAdapters.mu.Unlock()
	for a := range openAdapters.m {
		all = all.Plus(a.Rounds.Sum())
	}
	return all
}

// listOpen and unlistOpen maintain the list.
func (a *adapter) listOpen() {
	openAdapters.mu.Lock()
	openAdapters.m[a.Adapter] = struct{}{}
	openAdapters.mu.Unlock()
}

func (a *adapter) unlistOpen() {
	openAdapters.mu.Lock()
	delete(openAdapters.m, a.Adapter)
	openAdapters.mu.Unlock()
}
