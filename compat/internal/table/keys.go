package table

import (
	"sync"
	"sync/atomic"
)

// Keys finds objects by a key that the adapter chose. A lookup takes no lock and mostly one
// step: the keys are spread over a table that is at most half full. The zero value is empty.
type Keys[T any] struct {
	slots atomic.Pointer[[]atomic.Pointer[keyed[T]]]

	mu   sync.Mutex
	live int
	used int // live and gone
}

// keyed is an object with its key.
type keyed[T any] struct {
	key    uint32
	object *T // nil: it was removed, and searches go on behind it
}

// leastSlots is the size of a small table.
const leastSlots = 64

// spread is where the search for a key begins.
func spread(k uint32, n int) int { return int((uint64(k)*0x9E3779B97F4A7C15)>>32) & (n - 1) }

// Get is the object of a key, or nil.
func (t *Keys[T]) Get(k uint32) *T {
	p := t.slots.Load()
	if p == nil {
		return nil
	}
	s := *p
	for i := spread(k, len(s)); ; i = (i + 1) & (len(s) - 1) {
		e := s[i].Load()
		if e == nil {
			return nil
		}
		if e.key == k && e.object != nil {
			return e.object
		}
	}
}

// Put enters an object. It changes nothing and reports false if the key has one.
func (t *Keys[T]) Put(k uint32, o *T) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.Get(k) != nil {
		return false
	}
	s := t.slots.Load()
	if s == nil || 2*(t.used+1) > len(*s) {
		s = t.rehash(s)
	}
	insert(*s, &keyed[T]{k, o})
	t.live++
	t.used++
	return true
}

// rehash drops the places of removed objects.
func (t *Keys[T]) rehash(old *[]atomic.Pointer[keyed[T]]) *[]atomic.Pointer[keyed[T]] {
	n := leastSlots
	for n < 4*(t.live+1) {
		n *= 2
	}
	s := make([]atomic.Pointer[keyed[T]], n)
	if old != nil {
		for i := range *old {
			if e := (*old)[i].Load(); e != nil && e.object != nil {
				insert(s, e)
			}
		}
	}
	t.used = t.live
	t.slots.Store(&s)
	return &s
}

func insert[T any](s []atomic.Pointer[keyed[T]], e *keyed[T]) {
	i := spread(e.key, len(s))
	for s[i].Load() != nil {
		i = (i + 1) & (len(s) - 1)
	}
	s[i].Store(e)
}

// Remove ends a key.
func (t *Keys[T]) Remove(k uint32) {
	t.mu.Lock()
	defer t.mu.Unlock()
	p := t.slots.Load()
	if p == nil {
		return
	}
	s := *p
	for i := spread(k, len(s)); s[i].Load() != nil; i = (i + 1) & (len(s) - 1) {
		if e := s[i].Load(); e.key == k && e.object != nil {
			s[i].Store(&keyed[T]{key: k})
			t.live--
			return
		}
	}
}
