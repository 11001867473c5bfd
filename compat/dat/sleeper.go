package dat

import (
	"github.com/godapl/godapl/rdma"
	"github.com/godapl/godapl/rdma/event"
)

// Sleeper waits for a thread that sleeps outside of Go. It is an extension without a
// counterpart in C, for a C library that is written in Go: a thread of C that sleeps in
// poll(2) is woken by the kernel, whereas one that waits in Go is woken by other threads.
//
// The thread calls EVDWait or CNOWait, and as long as it is told that it is asleep, it
// sleeps until kick was called or one of Descriptors is readable, and calls Again. One wait at a
// time uses a Sleeper. See event.Sleeper.
type Sleeper struct {
	events *event.Sleeper[record]
	set    *event.SetSleeper
	r      record

	evd    *evd // one of the two waits
	handle EVDHandle
	cno    *cno
}

// NewSleeper makes a sleeper. kick wakes the thread; it is called by any goroutine, must not
// block, and may be called once more after the wait has ended.
func NewSleeper(kick func()) *Sleeper {
	return &Sleeper{events: event.NewSleeper[record](kick), set: event.NewSetSleeper(kick)}
}

// EVDWait begins what [EVDWait] does, and ends it at once if it can; without block it always
// does. asleep reports that the wait continues: Again then returns its result.
func (s *Sleeper) EVDWait(evdHandle EVDHandle, block bool, threshold Count, event *Event, nmore *Count) (asleep bool, ret Return) {
	d := evds.Get(Handle(evdHandle))
	if d == nil {
		return false, badEVD
	}
	if ret := d.checkWait(threshold, event, nmore); ret != Success {
		return false, ret
	}
	s.evd, s.handle, s.cno = d, evdHandle, nil
	more, asleep, err := s.events.Begin(d.d, &s.r, int(threshold), block)
	if asleep {
		return true, Success
	}
	return false, s.evdDone(more, err, event, nmore)
}

func (s *Sleeper) evdDone(more int, err error, event *Event, nmore *Count) Return {
	*nmore = Count(more)
	if err != nil {
		return s.evd.waitError(err)
	}
	s.r.fill(event, s.handle)
	s.r = record{}
	return Success
}

// CNOWait begins what [CNOWait] does, as EVDWait does with [EVDWait].
func (s *Sleeper) CNOWait(cnoHandle CNOHandle, block bool, evdHandle *EVDHandle) (asleep bool, ret Return) {
	c := getCNO(cnoHandle)
	if c == nil {
		return false, badCNO
	}
	if evdHandle == nil {
		return false, badArg(3)
	}
	*evdHandle = HandleNull
	s.cno, s.evd = c, nil
	c.count(1)
	m, asleep, err := s.set.Begin(c.set, block)
	if asleep {
		return true, Success
	}
	return false, s.cnoDone(m, err, evdHandle)
}

func (s *Sleeper) cnoDone(m event.Member, err error, evdHandle *EVDHandle) Return {
	s.cno.count(-1)
	return s.cno.waited(m, err, evdHandle)
}

// waited is the result of a wait.
func (c *cno) waited(m event.Member, err error, evdHandle *EVDHandle) Return {
	switch code := codeOf(err); {
	case err == nil:
		c.mu.Lock()
		*evdHandle = c.evds[m]
		c.mu.Unlock()
		return Success
	case code == rdma.ErrClosed:
		c.mu.Lock()
		defer c.mu.Unlock()
		if c.freed { // behind the look for its handle, and before the wait
			return badCNO
		}
		return Success
	case code == rdma.ErrTimeout:
		return failure(QueueEmpty, NoSubtype)
	}
	return result(err)
}

// Again continues the wait after the thread was woken. With last, because the time limit has
// passed, it ends the wait. event and nmore are for a dispatcher, evdHandle for a notification
// object.
func (s *Sleeper) Again(last bool, event *Event, nmore *Count, evdHandle *EVDHandle) (asleep bool, ret Return) {
	if s.cno != nil {
		m, asleep, err := s.set.Again(last)
		if asleep {
			return true, Success
		}
		return false, s.cnoDone(m, err, evdHandle)
	}
	more, asleep, err := s.events.Again(&s.r, last)
	if asleep {
		return true, Success
	}
	return false, s.evdDone(more, err, event, nmore)
}

// Descriptors may be readable when there is something for the wait; see event.Sleeper. They are
// valid until the next call.
func (s *Sleeper) Descriptors() []int32 {
	if s.cno != nil {
		return s.set.Descriptors()
	}
	return s.events.Descriptors()
}
