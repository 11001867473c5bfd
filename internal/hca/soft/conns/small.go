package conns

import (
	"slices"
	"sync"
	"sync/atomic"
)

// A Small set answers questions about its members as long as they are few. The zero value is ready, and any goroutine may
// call its methods.
type Small[T comparable] struct {
	mu   sync.Mutex
	all  map[T]struct{}
	some atomic.Pointer[[]T] // members, one more than mostMembers at most; nil: none. Written under mu.
}

const mostMembers = 8

// Note makes x a member if is returns true, and removes it otherwise.
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
	var some []T
	for x := range s.all {
		if some = append(some, x); len(some) > mostMembers {
			break
		}
	}
	s.some.Store(&some)
}

// Any reports whether f holds for a member. It says so, without asking, if there are many.
func (s *Small[T]) Any(f func(T) bool) bool {
	some := s.some.Load()
	return some != nil && (len(*some) > mostMembers || slices.ContainsFunc(*some, f))
}
