package table

import (
	"sync"
	"sync/atomic"
)

// The lower half of a handle is a slot of its kind's table. The first slots are left out, so
// that no handle equals a small number, which C interfaces reserve. The upper half is the
// kind and a use count: a handle is never given out twice.
const (
	slotBits  = 32
	kindShift = 56
	firstSlot = 16
)

// nearSlots is how many slots are in the table itself. A lookup there does not load an address first:
// a post begins with one, and after the lock of a queue all that a call does waits for it.
const nearSlots = 128

// Kind is the kind of a handle; ok is false for a number that cannot be a handle.
func Kind[H ~uint64](handle H) (kind uint8, ok bool) {
	return uint8(handle>>kindShift) - 1, handle>>kindShift != 0
}

// slot is nil while there is no object.
type slot[T any] struct {
	atomic.Pointer[held[T]]
}

// held is an object with its handle. It is constant, so that a reader has both or neither.
type held[T any] struct {
	handle uint64
	object *T
}

// Handles maps the handles of one kind, of the type H, to objects. The zero value is an empty table of
// the kind 0.
type Handles[H ~uint64, T any] struct {
	Kind uint8 // below 255; constant
	near [nearSlots]slot[T]
	far  atomic.Pointer[[]slot[T]] // the slots behind near; nil: none

	mu    sync.Mutex // guards changes of slots, and what follows
	free  []uint32   // slots
	given uint32     // how many slots have been used
	uses  map[uint32]uint32
}

// NewHandles makes the table of a kind.
func NewHandles[H ~uint64, T any](kind uint8) *Handles[H, T] { return &Handles[H, T]{Kind: kind} }

// Near is Get for the first handles of a kind, mostly: nil means nothing. It is inlined.
func (t *Handles[H, T]) Near(handle H) *T {
	if h := t.near[handle%nearSlots].Load(); h != nil && h.handle == uint64(handle) {
		return h.object
	}
	return nil
}

// Get is the object of a handle, or nil.
func (t *Handles[H, T]) Get(handle H) *T {
	if s := t.slot(uint32(handle)); s != nil {
		if h := s.Load(); h != nil && h.handle == uint64(handle) {
			return h.object
		}
	}
	return nil
}

// slot is a slot, or nil if the table has none of that number.
func (t *Handles[H, T]) slot(i uint32) *slot[T] {
	if i < nearSlots {
		return &t.near[i]
	}
	if far := t.far.Load(); far != nil && uint64(i-nearSlots) < uint64(len(*far)) { // an int of 32 bits could be negative
		return &(*far)[i-nearSlots]
	}
	return nil
}

// Reserve gives a handle, which means nothing until Put.
func (t *Handles[H, T]) Reserve() H {
	t.mu.Lock()
	defer t.mu.Unlock()
	var i uint32
	if n := len(t.free); n > 0 {
		i = t.free[n-1]
		t.free = t.free[:n-1]
	} else {
		i = firstSlot + t.given
		t.given++
	}
	if t.slot(i) == nil {
		t.grow()
	}
	if t.uses == nil {
		t.uses = map[uint32]uint32{}
	}
	t.uses[i]++
	const useMask = 1<<(kindShift-slotBits) - 1
	return H(t.Kind+1)<<kindShift | H(t.uses[i]&useMask)<<slotBits | H(i)
}

// grow makes room for more slots. The caller holds mu.
func (t *Handles[H, T]) grow() {
	var old []slot[T]
	if far := t.far.Load(); far != nil {
		old = *far
	}
	slots := make([]slot[T], max(leastSlots, 2*len(old)))
	for k := range old {
		slots[k].Store(old[k].Load())
	}
	t.far.Store(&slots)
}

// Put makes a reserved handle that of o.
func (t *Handles[H, T]) Put(handle H, o *T) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.slot(uint32(handle)).Store(&held[T]{uint64(handle), o})
}

// Remove ends a handle that Reserve gave, and reports whether it was valid: of several
// concurrent calls, one gets true.
func (t *Handles[H, T]) Remove(handle H) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	s := t.slot(uint32(handle))
	if s == nil {
		return false
	}
	if h := s.Load(); h == nil || h.handle != uint64(handle) {
		return false
	}
	s.Store(nil)
	t.free = append(t.free, uint32(handle))
	return true
}

// Cancel gives back a handle that was only reserved.
func (t *Handles[H, T]) Cancel(handle H) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.free = append(t.free, uint32(handle))
}
