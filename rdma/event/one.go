package event

// Taking one event. Sources write it to d.one first: a slice of a local variable would escape
// to the heap with each call.

// dequeueInto is [Provider.DequeueInto].
func (d *Dispatcher[T]) dequeueInto(ev *T) error {
	d.looks()
	if d.gate.Load()&^asPoller == 0 {
		if ok, done := d.popOnly(ev); ok {
			return nil
		} else if done {
			return &d.hot.empty
		}
	}
	if !d.takeTurn(asPoller) {
		return d.oneBesides(func(e *T) { *ev = *e })
	}
	if d.direct() {
		if n, _ := d.srcs[0].Drain(d.one); n > 0 {
			*ev = d.one[0]
			return d.endOne(nil)
		}
		return d.endOne(&d.hot.empty)
	}
	n, err := d.moveOne()
	if n > 0 {
		*ev = d.one[0]
	}
	return d.endOne(err)
}

// dequeueFunc is [Provider.DequeueFunc].
func (d *Dispatcher[T]) dequeueFunc(use func(ev *T)) error {
	d.looks()
	if !d.takeTurn(asPoller) {
		return d.oneBesides(use)
	}
	if d.direct() {
		if n, _ := d.srcs[0].Drain(d.one); n > 0 {
			use(&d.one[0])
			return d.endOne(nil)
		}
		return d.endOne(&d.hot.empty)
	}
	n, err := d.moveOne()
	if n > 0 {
		use(&d.one[0])
	}
	return d.endOne(err)
}

// direct reports whether the next event comes from the only source, with no set or flag to
// update. The caller holds drainLock.
func (d *Dispatcher[T]) direct() bool {
	return d.gate.Load()&^gateUnwait == gateSources && len(d.srcs) == 1 && d.one != nil
}

// popOnly is for a dispatcher without sources. done is false if a source was attached
// meanwhile.
func (d *Dispatcher[T]) popOnly(ev *T) (ok, done bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.gate.Load()&^asPoller != 0 {
		return false, false
	}
	if _, ok, _ = d.popFirst(ev, 1, asPoller); !ok && d.listened() {
		d.updateReady(0)
	}
	return ok, true
}

// oneBesides takes one event while another goroutine drains the sources: see takeBesides.
func (d *Dispatcher[T]) oneBesides(use func(ev *T)) error {
	var one [1]T
	n, err := d.takeBesides(one[:], asPoller)
	switch {
	case n > 0:
		use(&one[0])
	case err == nil:
		err = &d.hot.empty
	}
	return err
}

// moveOne moves the oldest event to d.one and reports whether there was one. The caller holds
// drainLock.
func (d *Dispatcher[T]) moveOne() (n int, err error) {
	const role = asPoller
	if d.one == nil {
		d.one = make([]T, 1)
	}
	if d.gate.Load()&^role == gateSources {
		n = d.drain(d.one)
	} else {
		n, err = d.takeQueued(d.one, role)
	}
	if err == nil && d.gate.Load()&gateSet != 0 {
		n, err = d.updateReadyPolled(d.one, n, role)
	}
	if n == 0 && err == nil {
		err = &d.hot.empty
	}
	return n, err
}

// endOne clears the taken event, so that the dispatcher keeps no reference, and releases drainLock.
func (d *Dispatcher[T]) endOne(err error) error {
	if err == nil {
		var none T
		d.one[0] = none
	}
	if !d.drainLock.Unlock() {
		d.fill()
		d.release()
	}
	return err
}
