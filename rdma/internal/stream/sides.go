package stream

import (
	"context"
	"sync"
	"time"

	"github.com/godapl/godapl/rdma/event"
)

// Sides are the two directions of a connection, with at most one goroutine in each. One of the two
// goroutines, the leader, waits for the events of the connection and handles those of both
// directions: so the adapter wakes the goroutine that needs the bytes, without a third between them.
//
// Mu guards everything. The caller of each method holds it, and holds it again when the method
// returns.
type Sides[E any] struct {
	In, Out Side
	// Handled is how many events were handled.
	Handled uint64

	mu     *sync.Mutex
	events *event.Dispatcher[E]
	handle func([]E)
	fail   func(error)
	leader *Side
	called bool // a call to look is on its way to the leader
	batch  [32]E
	idle   idle
}

// Side is one direction.
type Side struct {
	// Expired: the deadline has passed.
	Expired bool

	signal   chan struct{}
	waiting  bool     // a goroutine waits for signal
	busy     bool     // a call has its turn
	queue    []uint64 // the numbers of those that wait for theirs, oldest first
	number   uint64   // of the latest of them
	turns    sync.Cond
	deadline time.Time
	timer    *time.Timer
}

// Init prepares the sides of a connection. handle takes events in; the zero E is a call to look, of
// which it tells [Sides.Called]. fail takes an error of the dispatcher.
func (s *Sides[E]) Init(mu *sync.Mutex, events *event.Dispatcher[E], handle func([]E), fail func(error)) {
	s.mu, s.events, s.handle, s.fail = mu, events, handle, fail
	s.In.signal, s.Out.signal = make(chan struct{}, 1), make(chan struct{}, 1)
	s.In.turns.L, s.Out.turns.L = mu, mu
}

// Called takes note that a call to look has arrived.
func (s *Sides[E]) Called() { s.called = false }

// Wake lets the goroutine of a side look again, wherever it waits, and those that wait for their turn.
func (s *Sides[E]) Wake(side *Side) {
	if len(side.queue) > 0 {
		side.turns.Broadcast()
	}
	switch {
	case side.waiting:
		side.waiting = false
		side.signal <- struct{}{}
	case s.leader == side:
		s.callLeader()
	}
}

// Waits reports whether the goroutine of a side waits for something to happen.
func (s *Sides[E]) Waits(side *Side) bool { return side.waiting || s.leader == side }

// WakeBoth wakes both sides.
func (s *Sides[E]) WakeBoth() {
	s.Wake(&s.In)
	s.Wake(&s.Out)
}

// callLeader lets the leader look again. If the queue is full, it has something to look at anyway.
func (s *Sides[E]) callLeader() {
	if !s.called {
		var call E
		s.called = s.events.Post(call) == nil
	}
}

// Await waits until something has happened, or the side is woken.
func (s *Sides[E]) Await(side *Side) {
	if s.leader != nil {
		side.waiting = true
		if s.leader == &s.idle.side {
			s.idle.resign = true
			s.callLeader()
		}
		s.mu.Unlock()
		<-side.signal
		s.mu.Lock()
		return
	}
	s.lead(side)
}

// lead waits for events, and handles them. It is false if there will be no more.
func (s *Sides[E]) lead(side *Side) bool {
	s.leader = side
	s.mu.Unlock()
	n, err := s.events.WaitBatch(context.Background(), s.batch[:])
	s.mu.Lock()
	s.leader = nil
	s.take(n)
	if err != nil {
		s.fail(err)
	}
	return err == nil
}

func (s *Sides[E]) take(n int) {
	s.Handled += uint64(n)
	s.handle(s.batch[:n])
}

// Led reports that a goroutine waits for events, so that Look would find none.
func (s *Sides[E]) Led() bool { return s.leader != nil }

// Look handles what is there, without waiting.
func (s *Sides[E]) Look() bool {
	if s.Led() {
		return false
	}
	n := s.events.Poll(s.batch[:])
	s.take(n)
	return n > 0
}

// Rest handles what has arrived before a failure, which comes first, for the call of a side that is about to return the failure. It
// returns false if there is nothing any more.
func (s *Sides[E]) Rest(side *Side) bool {
	if s.Led() { // the goroutine that leads stops now, and this one looks then
		s.Await(side)
		return true
	}
	return s.Look()
}

// Leave is called when the goroutine of a side returns to the program: the other one must lead.
func (s *Sides[E]) Leave(side *Side) {
	if s.leader != nil {
		return
	}
	for _, other := range [...]*Side{&s.In, &s.Out} {
		if other != side && other.waiting {
			s.Wake(other)
			return
		}
	}
	s.armIdle()
}
