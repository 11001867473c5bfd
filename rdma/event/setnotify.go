package event

// Notify has f called once, with the dispatcher that is ready first: at the next
// trigger, or at once if one is ready already (uDAPL: the agent of
// dat_cno_create). It is dropped then; call Notify again for the next. nil takes
// back what was not called yet. f runs on a goroutine of its own, with no lock
// held; Close waits until it has returned, so it must not call that. Waiters are
// not concerned: they get the trigger, too. ErrClosed after Close.
func (s *Set) Notify(f func(Member)) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return s.fail(ErrClosed, "notify", detailClosed)
	}
	s.notify = f
	if s.first != nil {
		s.tellOnce()
	}
	return nil
}

// tellOnce calls what Notify left. Caller holds mu; the list is not empty.
func (s *Set) tellOnce() {
	f, m := s.notify, s.first.member
	if f == nil {
		return
	}
	s.notify = nil
	s.calls.Add(1)
	go func() {
		defer s.calls.Done()
		f(m)
	}()
}

// Descriptor is a file descriptor that is readable, for poll and its like, while
// a dispatcher of the set is ready (uDAPL 2.0: dat_cno_fd_create). It is the
// set's: it must be neither read nor closed, and is gone with Close. Every call
// returns the same. ErrUnsupported where the system has none.
func (s *Set) Descriptor() (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return -1, s.fail(ErrClosed, "descriptor", detailClosed)
	}
	if s.poll == nil {
		p, err := newReadiness()
		if err != nil {
			return -1, err
		}
		s.poll = p
		if s.first != nil {
			p.set()
		}
	}
	return s.poll.descriptor(), nil
}
