package main

// #include "shim.h"
import "C"

import (
	"sync"
	"sync/atomic"

	"github.com/godapl/godapl/compat/dat"
)

// inbox is what is kept for a dispatcher: an event to fill, so that taking one
// allocates nothing.
type inbox struct {
	number dat.EVDHandle
	spare  atomic.Pointer[slip]
}

// slip is an event of package dat, and the endpoint that the one before was about:
// as a rule the next one is, too.
type slip struct {
	event dat.Event
	more  dat.Count
	ep    dat.EPHandle
	c     *C.dg_handle
}

// get is the spare slip, or a new one for whoever takes an event at the same time.
func (b *inbox) get() *slip {
	if s := b.spare.Swap(nil); s != nil {
		return s
	}
	return new(slip)
}

func (b *inbox) put(s *slip) { b.spare.Store(s) }

// inboxes are all there are, by the slot that is in the C handle. Looking one up takes no
// lock.
var inboxes inboxTable

type inboxTable struct {
	slots atomic.Pointer[[]*inbox]
	mu    sync.Mutex
	free  []uint32
}

func (t *inboxTable) at(slot C.uint32_t) *inbox { return (*t.slots.Load())[slot] }

// enter gives a new inbox a slot.
func (t *inboxTable) enter(b *inbox) uint32 {
	t.mu.Lock()
	defer t.mu.Unlock()
	var old []*inbox
	if p := t.slots.Load(); p != nil {
		old = *p
	}
	if n := len(t.free); n > 0 {
		i := t.free[n-1]
		t.free = t.free[:n-1]
		// A copy, as others are reading.
		all := append([]*inbox(nil), old...)
		all[i] = b
		t.slots.Store(&all)
		return i
	}
	all := append(old, b) // beyond what readers of the old one see
	t.slots.Store(&all)
	return uint32(len(old))
}

// leave frees the slot. What is in it stays until it is given out again: a call may
// be using it.
func (t *inboxTable) leave(slot uint32) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.free = append(t.free, slot)
}
