package main

// #include "shim.h"
import "C"

import (
	"sync/atomic"
	"unsafe"

	"github.com/godapl/godapl/compat/dat"
)

// tray is a tray in C memory. The zero value is no tray. For all methods except allowWaits
// the caller holds the inbox's mu.
type tray struct{ c *C.dg_tray }

// newTray makes the tray of a dispatcher; no tray if memory is exhausted. Its memory is
// freed when the handle is used again.
func newTray(c *C.dg_handle) tray {
	t := tray{C.dg_tray_new()}
	c.extra = unsafe.Pointer(t.c)
	return t
}

// The parts of the state: see shim.h.
const (
	takenBits   = 16
	fillingBits = 32
	countMask   = 1<<takenBits - 1
)

func (t tray) state() *atomic.Uint64 { return (*atomic.Uint64)(unsafe.Pointer(&t.c.state)) }

func counts(state uint64) (taken, filled uint64) {
	return state >> takenBits & countMask, state & countMask
}

// next returns the state of the next fill.
func next(state uint64, filled int) uint64 {
	return (state>>fillingBits+1)<<fillingBits | uint64(filled)
}

// empty reports whether the tray is empty. An empty tray stays empty while mu is held.
func (t tray) empty() bool {
	taken, filled := counts(t.state().Load())
	return taken == filled
}

// at returns the place of the i-th event. The tray is empty.
func (t tray) at(i int) *C.dg_ready { return &t.c.ready[i] }

// lay publishes n events that were written to the tray. more events are queued after them.
func (t tray) lay(n int, more dat.Count) {
	atomic.StoreUint32((*uint32)(&t.c.behind), uint32(more))
	t.state().Store(next(t.state().Load(), n))
}

// takeBack empties the tray, and returns the index of the first event that was not taken,
// if any.
func (t tray) takeBack() (first int, some bool) {
	for {
		s := t.state().Load()
		taken, filled := counts(s)
		if taken == filled {
			return 0, false
		}
		if t.state().CompareAndSwap(s, next(s, 0)) {
			return int(taken), true
		}
	}
}

// allowWaits sets whether C may end a wait with an event of the tray.
func (t tray) allowWaits(ok bool) {
	if t.c == nil {
		return
	}
	unwaitable := uint32(1)
	if ok {
		unwaitable = 0
	}
	atomic.StoreUint32((*uint32)(&t.c.unwaitable), unwaitable)
}
