package event

// putBack is [Provider.PutBack].
func (d *Dispatcher[T]) putBack(evs []T) {
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
