package event

import (
	"github.com/godapl/godapl/internal/hca"
	"github.com/godapl/godapl/internal/wait"
)

// setFace is the channel of a set: a goroutine that waits and forwards ready dispatchers. The
// set owns it: StopChan and Close wait for it.
type setFace struct {
	ready    chan Member
	waiter   *setWaiter
	stopping bool // guarded by the set's mu
	stop     chan struct{}
	done     chan struct{}
}

// C is a channel of ready dispatchers. The first call starts it, later calls return the same
// channel. It is closed by StopChan, by Close, and when the last dispatcher is closed. After
// StopChan, C starts another channel; after Close it returns a closed one. After the last
// dispatcher was closed, C returns channels that are closed at once, as Wait returns ErrClosed,
// until another dispatcher has been added. Other goroutines may wait at the same time.
func (s *Set) C() <-chan Member {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.face != nil {
		return s.face.ready
	}
	f := &setFace{ready: make(chan Member), stop: make(chan struct{}), done: make(chan struct{})}
	if s.closed {
		close(f.ready)
		return f.ready
	}
	s.face = f
	f.waiter = &setWaiter{s: s, orphaned: s.renewed}
	go hca.Labeled("", "set channel", func() { s.pass(f) })()
	return f.ready
}

// StopChan ends the channel and waits until it has ended. A dispatcher that was not received
// returns to the front of the list. Without a channel StopChan does nothing.
func (s *Set) StopChan() {
	s.mu.Lock()
	f := s.face
	if f == nil {
		s.mu.Unlock()
		return
	}
	if !f.stopping {
		f.stopping = true
		close(f.stop)
	}
	s.mu.Unlock()
	f.waiter.cell.Wake()
	<-f.done
}

// pass is the goroutine of C.
func (s *Set) pass(f *setFace) {
	w := f.waiter
	var held *node
	for held == nil && w.cell.Wait(w, wait.Options{Done: f.stop, Parker: w}) == wait.Ready && w.err == nil {
		select {
		case f.ready <- w.got.member:
			w.got = nil
		case <-f.stop:
			held = w.got
		}
	}
	s.mu.Lock()
	s.waiters.remove(w)
	if held != nil {
		if _, member := s.members[held]; member && !held.listed.Load() {
			s.link(held, nil)
			s.waiters.wakeOne()
			s.tellOnce()
		}
	} else {
		s.passOn()
	}
	s.face = nil
	s.mu.Unlock()
	close(f.ready)
	close(f.done)
}
