package event

// trigger puts a dispatcher on the ready list and wakes one waiter. The caller holds the
// dispatcher's mu.
func (s *Set) trigger(n *node) {
	if s.counting.Load() != 0 {
		s.mu.Lock()
		s.wakeCounters()
		s.mu.Unlock()
	}
	if n.listed.Load() {
		// A goroutine that takes it off the list must lock the dispatcher to take events, so
		// it sees this arrival.
		return
	}
	s.mu.Lock()
	if !n.listed.Load() {
		s.link(n, s.last)
		s.waiters.wakeOne()
		s.tellOnce()
	}
	s.mu.Unlock()
}

// drop removes a drained dispatcher from the ready list. The caller holds the dispatcher's mu.
func (s *Set) drop(n *node) {
	if !n.listed.Load() {
		return
	}
	s.mu.Lock()
	s.unlink(n)
	s.mu.Unlock()
}

// enlist makes a dispatcher a member, or returns false if the set is closed.
func (s *Set) enlist(n *node) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return false
	}
	s.members[n] = struct{}{}
	s.parks.forget()
	s.renewed = s.orphaned
	return true
}

// strike ends a membership. After the last member is closed, nothing can wake the waiters:
// current waits end with an error, and so do later ones until another member is added.
func (s *Set) strike(n *node, closing bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.unlink(n)
	delete(s.members, n)
	s.parks.forget()
	if closing && len(s.members) == 0 {
		s.orphaned++
		s.wakeAll()
	}
	s.wakeCounters() // those that are left may hold fewer events than a threshold
}

// link inserts n into the ready list after prev (nil: first). The caller holds mu.
func (s *Set) link(n, prev *node) {
	n.prev = prev
	if prev == nil {
		n.next, s.first = s.first, n
	} else {
		n.next, prev.next = prev.next, n
	}
	if n.next == nil {
		s.last = n
	} else {
		n.next.prev = n
	}
	n.listed.Store(true)
	if s.poll != nil {
		s.poll.set()
	}
}

// unlink removes n from the ready list if it is listed. The caller holds mu.
func (s *Set) unlink(n *node) {
	if !n.listed.Load() {
		return
	}
	s.visits++
	if n.prev == nil {
		s.first = n.next
	} else {
		n.prev.next = n.next
	}
	if n.next == nil {
		s.last = n.prev
	} else {
		n.next.prev = n.prev
	}
	n.prev, n.next = nil, nil
	n.listed.Store(false)
	if s.poll != nil && s.first == nil {
		s.poll.clear()
	}
}

// waiterList is a FIFO queue of waiters, guarded by the set's mu.
type waiterList struct{ first, last *setWaiter }

func (l *waiterList) push(w *setWaiter) {
	w.queued, w.prev, w.next = true, l.last, nil
	if l.last == nil {
		l.first = w
	} else {
		l.last.next = w
	}
	l.last = w
}

func (l *waiterList) remove(w *setWaiter) {
	if !w.queued {
		return
	}
	if w.prev == nil {
		l.first = w.next
	} else {
		w.prev.next = w.next
	}
	if w.next == nil {
		l.last = w.prev
	} else {
		w.next.prev = w.prev
	}
	w.queued, w.prev, w.next = false, nil, nil
}

// wakeOne wakes the longest waiter and removes it from the list, so that the next trigger
// wakes another.
func (l *waiterList) wakeOne() {
	if w := l.first; w != nil {
		l.remove(w)
		w.cell.Wake()
	}
}

// wakeAll makes all waiters check again. The caller holds mu.
func (s *Set) wakeAll() {
	for s.waiters.first != nil {
		s.waiters.wakeOne()
	}
}
