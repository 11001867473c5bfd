package main

// #include "shim.h"
import "C"

import (
	"sync"
	"sync/atomic"
)

// inboxes are all inboxes, by the slot number in the C handle, from 1. A lookup takes
// no lock.
var inboxes inboxTable

type inboxTable struct {
	slots atomic.Pointer[[]*inbox]
	mu    sync.Mutex
	free  []uint32
}

func (t *inboxTable) at(slot C.uint32_t) *inbox { return (*t.slots.Load())[slot-1] }

// of returns the inbox of a dispatcher, and nil if the dispatcher was freed. C has looked
// whether it was, but since then the thread may have waited for a processor: now the slot may
// have the inbox of another dispatcher.
func (t *inboxTable) of(c *C.dg_handle) *inbox {
	if c == nil || c.slot == 0 {
		return nil
	}
	if b := t.at(c.slot); b.handle == c {
		return b
	}
	return nil
}

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
		// Copy the slice: other threads may be reading the old one.
		all := append([]*inbox(nil), old...)
		all[i-1] = b
		t.slots.Store(&all)
		return i
	}
	all := append(old, b) // beyond what readers of the old slice see
	t.slots.Store(&all)
	return uint32(len(all))
}

// leave frees the slot. Its content stays until the slot is reused: a call may be using
// it.
func (t *inboxTable) leave(slot uint32) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.free = append(t.free, slot)
}
