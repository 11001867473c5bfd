package soft

import "sync"

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
		all = all.Plus(a.rounds.sum())
	}
	return all
}

// enroll and strike keep the list.
func (a *assembly) enroll() {
	opened.mu.Lock()
	opened.m[a.adapter] = struct{}{}
	opened.mu.Unlock()
}

func (a *assembly) strike() {
	opened.mu.Lock()
	delete(opened.m, a.adapter)
	opened.mu.Unlock()
}
