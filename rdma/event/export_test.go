package event

import "fmt"

// SetHook installs f between the steps, and takes it away again.
func SetHook(f func(object any, step string)) (restore func()) {
	old := hook.Swap(&f)
	return func() { hook.Store(old) }
}

// Visits counts the entries of the ready list that were touched.
func (s *Set) Visits() uint64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.visits
}

// Peek describes the dispatcher's whole state, but for sets and channels.
func (d *Dispatcher[T]) Peek() string {
	d.mu.Lock()
	defer d.mu.Unlock()
	var queued []T
	for i := range d.ring.n {
		queued = append(queued, d.ring.buf[d.ring.at(i)])
	}
	return fmt.Sprint(queued, d.after, d.wakeDue, d.gate.Load(), d.want, d.first, &d.cell, &d.drainLock)
}
