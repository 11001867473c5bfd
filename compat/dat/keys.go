package dat

import (
	"sync"
	"sync/atomic"
)

// keyTable finds regions by their local key, the only identification in a triplet. A
// lookup takes no lock and mostly one step: the keys are spread over a table that is at
// most half full.
type keyTable struct {
	slots atomic.Pointer[[]atomic.Pointer[lmr]]

	mu   sync.Mutex
	live int
	used int // live and gone
}

// gone marks a slot whose region was freed: searches continue after it.
var gone = new(lmr)

func (t *keyTable) init() { t.slots.Store(newSlots(64)) }

func newSlots(n int) *[]atomic.Pointer[lmr] {
	s := make([]atomic.Pointer[lmr], n)
	return &s
}

// spread is where the search for a key begins.
func spread(k LMRContext, n int) int { return int((uint64(k)*0x9E3779B97F4A7C15)>>32) & (n - 1) }

// get is the region of a key, or nil.
func (t *keyTable) get(k LMRContext) *lmr {
	s := *t.slots.Load()
	for i := spread(k, len(s)); ; i = (i + 1) & (len(s) - 1) {
		l := s[i].Load()
		if l == nil || l.key == k && l != gone {
			return l
		}
	}
}

func (t *keyTable) put(l *lmr) {
	t.mu.Lock()
	defer t.mu.Unlock()
	s := t.slots.Load()
	if 2*(t.used+1) > len(*s) {
		s = t.rehash(*s)
	}
	insert(*s, l)
	t.live++
	t.used++
}

// rehash drops the gone slots.
func (t *keyTable) rehash(old []atomic.Pointer[lmr]) *[]atomic.Pointer[lmr] {
	n := 64
	for n < 4*(t.live+1) {
		n *= 2
	}
	s := newSlots(n)
	for i := range old {
		if l := old[i].Load(); l != nil && l != gone {
			insert(*s, l)
		}
	}
	t.used = t.live
	t.slots.Store(s)
	return s
}

func insert(s []atomic.Pointer[lmr], l *lmr) {
	i := spread(l.key, len(s))
	for s[i].Load() != nil {
		i = (i + 1) & (len(s) - 1)
	}
	s[i].Store(l)
}

func (t *keyTable) remove(l *lmr) {
	t.mu.Lock()
	defer t.mu.Unlock()
	s := *t.slots.Load()
	for i := spread(l.key, len(s)); s[i].Load() != nil; i = (i + 1) & (len(s) - 1) {
		if s[i].Load() == l {
			s[i].Store(gone)
			t.live--
			return
		}
	}
}
