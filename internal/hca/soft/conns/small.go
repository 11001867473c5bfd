package conns

import (
	"maps"
	"slices"
	"sync"
	"sync/atomic"
)

// A Small set answers questions about its members as long as they are few. The zero value is ready, and any goroutine may
// call its methods.
type Small[T comparable] struct {
	mu  sync.Mutex
	all map[T]struct{}
	few atomic.Pointer[[]T] // nil: none, or more than mostMembers; written under mu
	big atomic.Bool         // written under mu
}

const mostMembers = 8

// Note adds or removes a member, as is says.
func (s *Small[T]) Note(x T, is func() bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.all == nil {
		s.all = make(map[T]struct{})
	}
	n := len(s.all)
	if is() {
		s.all[x] = struct{}{}
	} else {
		delete(s.all, x)
	}
	if len(s.all) == n {
		return
	}
	if s.big.Store(len(s.all) > mostMembers); s.big.Load() {
		s.few.Store(nil)
		return
	}
	list := slices.Collect(maps.Keys(s.all))
	s.few.Store(&list)
}

// Any reports whether f holds for a member. It says so, without asking, if there are many.
func (s *Small[T]) Any(f func(T) bool) bool {
	list := s.few.Load()
	return s.big.Load() || list != nil && slices.ContainsFunc(*list, f)
}
