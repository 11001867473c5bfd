package main

// #include "shim.h"
import "C"

import (
	"sync"

	"github.com/godapl/godapl/compat/dat"
)

// handles maps the number of an object of package dat to its C handle. Package dat never
// uses a number twice.
var handles = struct {
	sync.RWMutex
	all map[dat.Handle]owned
}{all: map[dat.Handle]owned{}}

// owned is a C handle and the adapter that it belongs to.
type owned struct {
	c  *C.dg_handle
	ia dat.Handle
}

// find returns the C handle of an object, or nil.
func find(n dat.Handle) *C.dg_handle {
	handles.RLock()
	defer handles.RUnlock()
	return handles.all[n].c
}

// handleOf returns the C handle of an object of an adapter, and makes one if there is none
// yet. It returns NULL for the null handle, and if memory is exhausted.
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

// give makes the C handle of a new object. If that fails, it calls undo, which frees the
// object.
func give[H dat.AnyHandle](a *adapter, number H, undo func(H) dat.Return) (*C.dg_handle, dat.Return) {
	c := handleOf(a, number)
	if c == nil {
		undo(number)
		return nil, outOfMemory
	}
	return c, dat.Success
}

// drop frees the C handle of an object that was freed.
func drop[H dat.AnyHandle](number H) {
	handles.Lock()
	defer handles.Unlock()
	n := dat.Handle(number)
	if o, ok := handles.all[n]; ok {
		delete(handles.all, n)
		end(o.c)
	}
}

// dropAll frees the C handles of an adapter and of all its objects.
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

// end frees a handle. The caller holds the lock of handles.
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
