package main

// #include "shim.h"
import "C"

import (
	"sync"

	"github.com/godapl/godapl/compat/dat"
)

// inbox is the state of a dispatcher. A dispatcher of completions has a tray, from which C
// takes events without a call into Go: the package comment has the rules.
type inbox struct {
	handle *C.dg_handle
	number dat.EVDHandle
	tray   tray
	ahead  *dat.Ahead // nil without a tray

	// mu is held while events of the dispatcher are taken, or the dispatcher is changed
	// as a whole. Waits do not hold it; waiting counts them. It may be held over a call
	// of package dat that does not block.
	mu       sync.Mutex
	waiting  int
	triggers bool // it has a notification object
	slip     slip
}

// slip is an event of package dat, and the endpoint of the previous event: the next event
// usually has the same endpoint.
type slip struct {
	event dat.Event
	more  dat.Count
	ep    dat.EPHandle
	c     *C.dg_handle
}

func newInbox(c *C.dg_handle, h dat.EVDHandle, triggers bool) *inbox {
	b := &inbox{handle: c, number: h, triggers: triggers}
	if a := dat.EVDAhead(h, C.DG_TRAY); a != nil {
		if b.tray = newTray(c); b.tray.c != nil {
			b.ahead = a
		}
	}
	return b
}

// goesAhead reports whether events may be put on the tray. mu is held.
func (b *inbox) goesAhead() bool { return b.ahead != nil && b.waiting == 0 && !b.triggers }

// lay puts queued events on the tray, if it is empty. mu is held, and goesAhead is true.
func (b *inbox) lay() dat.Return {
	if !b.tray.empty() {
		return dat.Success
	}
	n, more, ret := b.ahead.Take()
	if n == 0 {
		return ret
	}
	for i := range n {
		b.ahead.Event(i, &b.slip.event)
		b.slip.pack(b.tray.at(i))
	}
	b.tray.lay(n, more)
	return dat.Success
}

// takeBack puts the remaining events of the tray back into the queue. mu is held.
func (b *inbox) takeBack() {
	if b.ahead == nil {
		return
	}
	if i, some := b.tray.takeBack(); some {
		b.ahead.PutBack(i)
	}
}

// posted is called after a post: if completions are available now, they are put on the
// tray. It does not wait for the lock: if another thread holds it, that thread sees the
// completions.
func (b *inbox) posted() {
	if b.ahead == nil || !b.tray.empty() || !b.ahead.Ready() || !b.mu.TryLock() {
		return
	}
	if b.goesAhead() {
		b.lay()
	}
	b.mu.Unlock()
}

// beginWait is called before package dat waits: all events must be in the queue then.
func (b *inbox) beginWait() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.waiting++
	b.takeBack()
}

// endWait is called after a wait that has left more events. They are put on the tray for later
// calls.
func (b *inbox) endWait(more dat.Count) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.waiting--
	if more > 0 && b.goesAhead() {
		b.lay()
	}
}

// recall empties the trays of the dispatchers of an object's adapter: events on a tray count as queued.
func recall(object C.uint64_t) {
	var all []*inbox
	handles.RLock()
	ia := handles.all[dat.Handle(object)].ia
	for _, o := range handles.all {
		if o.ia == ia && o.c.evd != 0 {
			if b := inboxes.of(o.c); b != nil {
				all = append(all, b)
			}
		}
	}
	handles.RUnlock()
	for _, b := range all {
		b.mu.Lock()
		b.takeBack()
		b.mu.Unlock()
	}
}

// whole runs an operation on the whole queue of a dispatcher. Meanwhile the tray is empty,
// and only waits take events.
func whole(h dat.EVDHandle, do func(b *inbox) dat.Return) dat.Return {
	b := inboxes.of(find(dat.Handle(h)))
	if b == nil {
		b = new(inbox) // for an invalid handle: do returns the error
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.takeBack()
	return do(b)
}
