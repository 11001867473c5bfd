package stream

import "time"

// idle waits for events while no goroutine of the program does: for protocols in which the peer
// sends without having been told that there are receives.
type idle struct {
	side    Side
	after   time.Duration // 0: it never does
	timer   *time.Timer
	armed   bool
	seen    uint64 // Handled when the timer was set
	resign  bool   // a call wants to wait for events itself
	stopped bool
	done    chan struct{} // closed when stopped and gone
}

// TendIdle lets a goroutine handle the events of the connection when no call has done so for the time
// given. Without it they wait for the next call. It ends with [Sides.StopIdle].
func (s *Sides[E]) TendIdle(after time.Duration) {
	s.idle.after, s.idle.done = after, make(chan struct{})
	s.armIdle()
}

// armIdle is called when no call waits for events.
func (s *Sides[E]) armIdle() {
	i := &s.idle
	if i.after <= 0 || i.armed || i.stopped {
		return
	}
	i.armed, i.seen = true, s.Handled
	if i.timer == nil {
		i.timer = time.AfterFunc(i.after, s.tend)
		return
	}
	i.timer.Reset(i.after)
}

// tend is the timer's function: the goroutine that leads while nobody else does.
func (s *Sides[E]) tend() {
	s.mu.Lock()
	defer s.mu.Unlock()
	i := &s.idle
	i.resign = s.Handled != i.seen || s.leader != nil
	for ok := true; ok && !i.stopped && !i.resign; {
		ok = s.lead(&i.side)
	}
	i.armed = false
	if i.stopped {
		close(i.done)
		i.done = nil
		return
	}
	s.Leave(&i.side)
}

// StopIdle ends the goroutine of TendIdle, and returns a channel that is closed when it has ended.
func (s *Sides[E]) StopIdle() <-chan struct{} {
	i := &s.idle
	i.stopped = true
	done := i.done
	switch {
	case done == nil:
		done = make(chan struct{})
		close(done)
	case !i.armed || i.timer.Stop():
		i.armed = false
		close(done)
	case s.leader == &i.side:
		s.callLeader()
	}
	return done
}
