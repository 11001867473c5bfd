package event

// Queued returns copies of the queued events, the oldest first, and takes none of them. Events that the sources still
// hold, or that a channel has, are not among them. It is for calls that count what the program has not taken yet.
func (p Provider[T]) Queued() []T { return p.d.copies() }

func (d *Dispatcher[T]) copies() []T {
	d.mu.Lock()
	defer d.mu.Unlock()
	all := make([]T, 0, d.ring.n+len(d.after))
	for i := range d.ring.n {
		all = append(all, d.ring.buf[d.ring.at(i)])
	}
	return append(all, d.after...)
}
