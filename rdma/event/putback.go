package event

// PutBack makes events that were polled the oldest again, in their order: for who
// takes events ahead of the program that wants them, and finds that it wants the
// queue whole. Nobody else may have taken any since. They count as queued, and as
// just arrived: who waits counts again, and a set or a flag is told. The queue may be
// longer than Cap for it. After Close they are dropped, as what is queued is.
//
// It never blocks. evs stays the caller's.
func (d *Dispatcher[T]) PutBack(evs []T) {
	if len(evs) == 0 {
		return
	}
	d.mu.Lock()
	if d.closed {
		d.mu.Unlock()
		return
	}
	d.putFront(nil, evs)
	d.arrived(true)
}
