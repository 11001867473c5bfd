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

// Handles maps the handles of one kind, of the type H, to objects.
type Handles[H ~uint64, T any] struct {
	kind  uint8
	slots atomic.Pointer[[]slot[T]]

	mu   sync.Mutex // guards changes of slots, and what follows
	free []uint32   // slots
	next uint32
	uses map[uint32]uint32 // how often a slot has been used
}

// NewHandles makes the table of a kind. Kinds are below 255.
func NewHandles[H ~uint64, T any](kind uint8) *Handles[H, T] {
	t := &Handles[H, T]{kind: kind, next: firstSlot, uses: map[uint32]uint32{}}
	t.slots.Store(&[]slot[T]{})
	return t
}

// Get is the object of a handle, or nil.
func (t *Handles[H, T]) Get(handle H) *T {
	slots := *t.slots.Load()
	if i := uint32(handle); int(i) < len(slots) {
		if h := slots[i].Load(); h != nil && h.handle == uint64(handle) {
			return h.object
		}
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
		i = t.next
		t.next++
	}
	if old := *t.slots.Load(); int(i) >= len(old) {
		slots := make([]slot[T], max(leastSlots, 2*len(old)))
		for k := range old {
			slots[k].Store(old[k].Load())
		}
		t.slots.Store(&slots)
	}
	t.uses[i]++
	const useMask = 1<<(kindShift-slotBits) - 1
	return H(t.kind+1)<<kindShift | H(t.uses[i]&useMask)<<slotBits | H(i)
}

// slot is the slot of a handle that Reserve gave. The caller holds mu.
func (t *Handles[H, T]) slot(handle H) *slot[T] { return &(*t.slots.Load())[uint32(handle)] }

// Put makes a reserved handle that of o.
func (t *Handles[H, T]) Put(handle H, o *T) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.slot(handle).Store(&held[T]{uint64(handle), o})
}

// Remove ends a handle that Reserve gave, and reports whether it was valid: of several
// concurrent calls, one gets true.
func (t *Handles[H, T]) Remove(handle H) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	s := t.slot(handle)
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
