package dat

import (
	"sync"
	"sync/atomic"
)

// The lower half of a handle is a slot of its kind's table, numbered such that no
// handle equals the small numbers that C reserves. The upper half is the kind and a use
// count: a handle is never given out twice.
const (
	slotBits  = 32
	kindShift = 56
	firstSlot = 16
	pageSlots = 256
)

func kindOf(h Handle) HandleType {
	if h>>kindShift == 0 {
		return ^HandleType(0)
	}
	return HandleType(h>>kindShift - 1)
}

// slot has its handle and its object. The handle is 0 while there is none. It is
// written last when an object comes and first when it goes, so a reader that sees
// the same handle before and after has the right object.
type slot[T any] struct {
	handle atomic.Uint64
	object atomic.Pointer[T]
}

// table maps handles to objects. Looking up takes no lock.
type table[T any] struct {
	kind  HandleType
	pages atomic.Pointer[[]*[pageSlots]slot[T]]

	mu   sync.Mutex
	free []uint32 // slots
	next uint32
	uses map[uint32]uint32 // how often a slot has been used
}

func newTable[T any](kind HandleType) *table[T] {
	t := &table[T]{kind: kind, next: firstSlot, uses: map[uint32]uint32{}}
	t.pages.Store(&[]*[pageSlots]slot[T]{})
	return t
}

// get is the object of a handle, or nil.
func (t *table[T]) get(h Handle) *T {
	pages := *t.pages.Load()
	i := uint32(h)
	if int(i/pageSlots) >= len(pages) {
		return nil
	}
	s := &pages[i/pageSlots][i%pageSlots]
	if s.handle.Load() != uint64(h) {
		return nil
	}
	o := s.object.Load()
	if s.handle.Load() != uint64(h) {
		return nil
	}
	return o
}

// reserve gives a handle, which means nothing until put.
func (t *table[T]) reserve() Handle {
	t.mu.Lock()
	defer t.mu.Unlock()
	var i uint32
	if n := len(t.free); n > 0 {
		i = t.free[n-1]
		t.free = t.free[:n-1]
	} else {
		i = t.next
		t.next++
	}
	pages := *t.pages.Load()
	if int(i/pageSlots) >= len(pages) {
		grown := make([]*[pageSlots]slot[T], len(pages)+1)
		copy(grown, pages)
		grown[len(pages)] = new([pageSlots]slot[T])
		t.pages.Store(&grown)
	}
	t.uses[i]++
	const useMask = 1<<(kindShift-slotBits) - 1
	return Handle(t.kind+1)<<kindShift | Handle(t.uses[i]&useMask)<<slotBits | Handle(i)
}

func (t *table[T]) slot(h Handle) *slot[T] {
	i := uint32(h)
	return &(*t.pages.Load())[i/pageSlots][i%pageSlots]
}

// put makes a reserved handle that of o.
func (t *table[T]) put(h Handle, o *T) {
	s := t.slot(h)
	s.object.Store(o)
	s.handle.Store(uint64(h))
}

// remove ends a handle, and reports whether it was valid: of several concurrent calls,
// one gets true.
func (t *table[T]) remove(h Handle) bool {
	s := t.slot(h)
	if !s.handle.CompareAndSwap(uint64(h), 0) {
		return false
	}
	s.object.Store(nil)
	t.cancel(h)
	return true
}

// cancel gives back a handle that was only reserved.
func (t *table[T]) cancel(h Handle) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.free = append(t.free, uint32(h))
}
