package main

// #include "shim.h"
import "C"

import (
	"runtime"
	"sync"
	"unsafe"

	"github.com/godapl/godapl/compat/dat"
)

// sleep is the wait of a thread of C in poll(2): see sleep.c. It has all the data of the wait,
// since the handle may be freed meanwhile.
type sleep struct {
	number uint32
	kick   *bell // nil: no descriptor was available, and the thread waits in Go
	s      *dat.Sleeper
	slip   slip

	// Of a wait on a dispatcher.
	b *inbox
	c *C.dg_handle
	// Of a wait on a notification object.
	evd dat.EVDHandle
}

// sleeps has all sleeps, by their number: as many as threads have waited at the same time. Their
// descriptors stay open for later waits, so a late kick never writes to another file that has got
// the same descriptor number.
var sleeps sleepTable

type sleepTable struct {
	mu   sync.Mutex
	all  []*sleep
	free []*sleep
}

// breathe lets other goroutines run first, if C asks for that. It comes before a wait looks up its handle, which may be
// freed meanwhile.
func breathe(s *C.dg_sleep) {
	if s.pause != 0 {
		runtime.Gosched()
	}
}

// begin returns a sleep for a wait that C begins.
func (t *sleepTable) begin() *sleep {
	t.mu.Lock()
	defer t.mu.Unlock()
	if n := len(t.free); n > 0 {
		w := t.free[n-1]
		t.free = t.free[:n-1]
		return w
	}
	kick, err := newBell()
	if err != nil {
		return new(sleep)
	}
	w := &sleep{number: uint32(len(t.all) + 1), kick: kick, s: dat.NewSleeper(kick.ring)}
	t.all = append(t.all, w)
	return w
}

func (t *sleepTable) at(number C.uint32_t) *sleep {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.all[number-1]
}

func (t *sleepTable) end(w *sleep) {
	w.b, w.c = nil, nil
	if w.kick == nil {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.free = append(t.free, w)
}

// asleep passes the descriptors to poll to C.
func (w *sleep) asleep(s *C.dg_sleep) C.uint {
	s.number = C.uint32_t(w.number)
	s.kick = C.int32_t(w.kick.fd)
	s.fds = 0
	for _, fd := range w.s.Descriptors() {
		if int(s.fds) == len(s.fd) {
			w.kick.ring() // there is no room for all descriptors: look again without sleeping
			break
		}
		s.fd[s.fds] = C.int32_t(fd)
		s.fds++
	}
	return C.DG_ASLEEP
}

// goSleepOn looks after the thread has woken; with last it also ends the wait.
//
//export goSleepOn
func goSleepOn(s *C.dg_sleep, last C.int, event *C.dg_event, more *C.int32_t, evd *unsafe.Pointer) C.uint {
	w := sleeps.at(s.number)
	asleep, ret := w.s.Again(last != 0, &w.slip.event, &w.slip.more, &w.evd)
	switch {
	case asleep:
		return w.asleep(s)
	case w.b != nil:
		return w.evdDone(ret, event, more)
	}
	return w.cnoDone(ret, evd)
}

// evdDone ends a wait on a dispatcher.
func (w *sleep) evdDone(ret dat.Return, event *C.dg_event, more *C.int32_t) C.uint {
	*more = C.int32_t(w.slip.more)
	if ret == dat.Success {
		w.slip.fill(event, w.c)
	}
	w.b.endWait(w.slip.more)
	w.slip.more = 0
	sleeps.end(w)
	return code(ret)
}

// cnoDone ends a wait on a notification object.
func (w *sleep) cnoDone(ret dat.Return, evd *unsafe.Pointer) C.uint {
	put(evd, pointer(find(dat.Handle(w.evd))))
	w.evd = 0
	sleeps.end(w)
	return code(ret)
}
