package main

// #include "shim.h"
import "C"

import (
	"sync"

	"github.com/godapl/godapl/compat/dat"
)

// handles finds the C handle of an object of package dat. Numbers there are never
// given out twice.
var handles = struct {
	sync.RWMutex
	all map[dat.Handle]owned
}{all: map[dat.Handle]owned{}}

// owned is a C handle and the adapter it belongs to.
type owned struct {
	c  *C.dg_handle
	ia dat.Handle
}

// find is the C handle of an object, or nil.
func find(n dat.Handle) *C.dg_handle {
	handles.RLock()
	defer handles.RUnlock()
	return handles.all[n].c
}

// handleOf is the C handle of an object of an adapter. It makes one if C has not seen
// the object yet. Null becomes NULL; so does any handle if memory is exhausted.
func handleOf[H dat.AnyHandle](a *adapter, number H) *C.dg_handle {
	n := dat.Handle(number)
	if n == 0 {
		return nil
	}
	handles.Lock()
	defer handles.Unlock()
	if o, ok := handles.all[n]; ok {
		return o.c
	}
	if a == nil {
		return nil
	}
	c := C.dg_handle_new(&a.entry.table, C.uint64_t(n))
	if c != nil {
		handles.all[n] = owned{c, a.number}
	}
	return c
}

// give makes the C handle of a new object. If that fails, undo takes the object back.
func give[H dat.AnyHandle](a *adapter, number H, undo func(H) dat.Return) (*C.dg_handle, dat.Return) {
	c := handleOf(a, number)
	if c == nil {
		undo(number)
		return nil, outOfMemory
	}
	return c, dat.Success
}

// drop ends the C handle of an object that is gone.
func drop[H dat.AnyHandle](number H) {
	handles.Lock()
	defer handles.Unlock()
	n := dat.Handle(number)
	if o, ok := handles.all[n]; ok {
		delete(handles.all, n)
		end(o.c)
	}
}

// dropAll ends the C handles of all that an adapter had, and its own.
func dropAll(ia dat.Handle) {
	handles.Lock()
	defer handles.Unlock()
	for n, o := range handles.all {
		if o.ia == ia {
			delete(handles.all, n)
			end(o.c)
		}
	}
}

// end frees a handle. handles is locked.
func end(c *C.dg_handle) {
	if c.evd != 0 {
		inboxes.leave(uint32(c.slot))
	}
	C.dg_handle_free(c)
}

// dropIf is drop for a call that ends an object if it succeeds.
func dropIf[H dat.AnyHandle](ret dat.Return, number H) C.uint {
	if ret == dat.Success {
		drop(number)
	}
	return code(ret)
}
