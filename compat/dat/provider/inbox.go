package main

// #include "shim.h"
import "C"

import (
	"sync"

	"github.com/godapl/godapl/compat/dat"
)

// inbox is the state of a dispatcher. A dispatcher of completions has a tray, where C
// finds events without a call: the package comment has the rules.
type inbox struct {
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
	spare    *slip // for a wait
}

// slip is an event of package dat, and the endpoint of the event before, which mostly
// is the next one's, too.
type slip struct {
	event dat.Event
	more  dat.Count
	ep    dat.EPHandle
	c     *C.dg_handle
}

func newInbox(c *C.dg_handle, h dat.EVDHandle, triggers bool) *inbox {
	b := &inbox{number: h, triggers: triggers}
	if a := dat.EVDAhead(h, C.DG_TRAY); a != nil {
		if b.tray = newTray(c); b.tray.c != nil {
			b.ahead = a
		}
	}
	return b
}

// goesAhead tells whether events may be laid on the tray. mu is held.
func (b *inbox) goesAhead() bool { return b.ahead != nil && b.waiting == 0 && !b.triggers }

// lay has events on the tray, if there are any. mu is held, and goesAhead.
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
// tray. It does not wait for the lock: its holder will see the completions.
func (b *inbox) posted() {
	if b.ahead == nil || !b.tray.empty() || !b.ahead.Ready() || !b.mu.TryLock() {
		return
	}
	if b.goesAhead() {
		b.lay()
	}
	b.mu.Unlock()
}

// beginWait is called before package dat waits, which needs all there is in the queue.
func (b *inbox) beginWait() *slip {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.waiting++
	b.takeBack()
	s := b.spare
	b.spare = nil
	if s == nil {
		s = new(slip)
	}
	return s
}

// endWait is called after a wait. Further events are put on the tray for later calls.
func (b *inbox) endWait(s *slip) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.waiting--
	if s.more > 0 && b.goesAhead() {
		b.lay()
	}
	b.spare = s
}

// whole runs an operation on the queue of a dispatcher as a whole: the tray is empty,
// and only waits take events meanwhile.
func whole(h dat.EVDHandle, do func(b *inbox) dat.Return) dat.Return {
	b := new(inbox) // the call will report what is wrong with the handle
	if c := find(dat.Handle(h)); c != nil && c.evd != 0 {
		b = inboxes.at(c.slot)
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.takeBack()
	return do(b)
}
