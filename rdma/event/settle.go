package event

// What a dispatcher owes the set that it is in. Two rules, so that nothing is
// stranded:
//
//   - a dispatcher that somebody took events from, and that has or may have
//     more, is on the set's ready list;
//   - one that is not on the list has nothing, or nothing new since it was last
//     reported, and its sources are armed.

// A flag is owed the same, where "on the list" means that it is up.

// listened tells whether there is a set or a flag. Caller holds mu.
func (d *Dispatcher[T]) listened() bool { return d.node.set != nil || d.flag != nil }

// inSet tells whether arrivals are to be told to a set or a flag.
func (d *Dispatcher[T]) inSet() bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	return !d.waiting && (d.flag != nil || d.node.set != nil && !d.disabled)
}

// raise puts the dispatcher on the ready list of its set, unless somebody waits
// on it directly or it is disabled, and its flag up. Caller holds mu.
func (d *Dispatcher[T]) raise() {
	if d.node.set != nil && !d.disabled && !d.waiting {
		d.node.set.trigger(&d.node)
	}
	d.show()
}

// show puts the flag up. Caller holds mu.
func (d *Dispatcher[T]) show() {
	if d.flag != nil && d.flag.Load() == 0 {
		d.flag.Store(1)
	}
}

// lower takes it off, and the flag down. Caller holds mu.
func (d *Dispatcher[T]) lower() {
	d.delist()
	if d.flag != nil {
		d.flag.Store(0)
	}
}

// delist takes it off the list of its set. Caller holds mu.
func (d *Dispatcher[T]) delist() {
	if d.node.set != nil {
		d.node.set.drop(&d.node)
	}
}

// settle keeps the rules after n events were taken. A dispatcher with sources
// may have more in them. Caller holds mu.
func (d *Dispatcher[T]) settle(n int) {
	if d.queued() == 0 && len(d.srcs) == 0 {
		d.lower()
	} else if n > 0 {
		d.raise()
	}
}

// settleSources is settle for a take that went to the sources. If it found
// nothing it arms them and looks again. Caller holds turn.
func (d *Dispatcher[T]) settleSources(dst []T, n int, role uint32) (int, error) {
	if n > 0 {
		// A flag that is up stays up: it is lowered by who holds turn, where there
		// are sources, and who puts another in its place puts that up.
		if f := d.alone.Load(); f != nil && f.Load() != 0 {
			return n, nil
		}
		d.mu.Lock()
		d.settle(n)
		d.mu.Unlock()
		return n, nil
	}
	if role == asWaiter || len(dst) == 0 || !d.inSet() {
		return 0, nil
	}
	if err := d.rearm(); err != nil {
		return 0, err
	}
	n, err := d.popQueued(dst, role)
	if n > 0 {
		d.mu.Lock()
		d.settle(n)
		d.mu.Unlock()
	}
	return n, err
}

// rearm is for a caller that found nothing, or not enough: it takes an empty
// dispatcher off the list, arms the sources so that the set learns of the next
// arrival, and looks once more what they hold. The look is last: what arrived
// before the arming, or was taken off the list, is found by it. Caller holds
// turn.
func (d *Dispatcher[T]) rearm() error {
	d.mu.Lock()
	if d.queued() == 0 {
		d.lower()
	}
	d.mu.Unlock()
	at(d, "rearm")
	if err := d.armAll(); err != nil {
		d.mu.Lock()
		d.show() // nothing else will
		d.mu.Unlock()
		return err
	}
	at(d, "rearmed")
	d.fill()
	return nil
}
