package event

import "github.com/godapl/godapl/internal/hca"

// Notify registers f for one call with the first ready dispatcher: at the next trigger, or at
// once if a dispatcher is ready already (uDAPL: the agent of dat_cno_create). Call Notify
// again for the next trigger. nil removes a function that was not called yet. f runs on a
// goroutine of its own, with no lock held. Close waits until f has returned, so f must not
// call Close. Waiters get the trigger, too. ErrClosed after Close.
func (s *Set) Notify(f func(Member)) error {
	defer s.elsewhere()
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

// tellOnce calls the function that Notify has registered. The caller holds mu; the list is not
// empty.
func (s *Set) tellOnce() {
	f, m := s.notify, s.first.member
	if f == nil {
		return
	}
	s.notify = nil
	s.calls.Add(1)
	go hca.Labeled("", "notify", func() { // and not with the labels of the goroutine that brought the event
		defer s.calls.Done()
		f(m)
	})()
}

// Descriptor returns a file descriptor that is readable, for poll(2) and similar calls, while
// a dispatcher of the set is ready (uDAPL 2.0: dat_cno_fd_create). The set owns it: the caller
// must neither read nor close it, and Close closes it. Every call returns the same descriptor.
// ErrUnsupported if the system has none.
func (s *Set) Descriptor() (int, error) {
	defer s.elsewhere()
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
