package event

// This file keeps a dispatcher's set and flag up to date. Two rules prevent events that nobody
// is notified of:
//
//   - a dispatcher that somebody took events from, and that has or may have
//     more, is on the set's ready list;
//   - one that is not on the list has nothing, or nothing new since it was last
//     reported, and its sources are armed.

// The same rules hold for a flag, where "on the list" means that the flag is set.

// listened reports whether there is a set or a flag. The caller holds mu.
func (d *Dispatcher[T]) listened() bool { return d.node.set != nil || d.flag != nil }

// inSet reports whether arrivals must update a set or a flag.
func (d *Dispatcher[T]) inSet() bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	return !d.waiting && (d.flag != nil || d.node.set != nil && !d.disabled)
}

// markReady sets the flag and puts the dispatcher on the ready list of its set, unless a goroutine waits on it
// directly or it is disabled. The flag comes first: a program that the set wakes may look at it at once, and take no
// event while it is not set. The caller holds mu.
func (d *Dispatcher[T]) markReady() {
	d.setFlag()
	if d.node.set != nil && !d.disabled && !d.waiting {
		d.node.set.trigger(&d.node)
	}
}

// setFlag sets the flag. The caller holds mu.
func (d *Dispatcher[T]) setFlag() {
	if d.flag != nil && d.flag.Load() == 0 {
		d.flag.Store(1)
	}
}

// clearReady removes the dispatcher from the ready list and clears the flag. The caller holds mu.
func (d *Dispatcher[T]) clearReady() {
	d.delist()
	if d.flag != nil {
		d.flag.Store(0)
	}
}

// delist removes the dispatcher from the ready list of its set. The caller holds mu.
func (d *Dispatcher[T]) delist() {
	if d.node.set != nil {
		d.node.set.drop(&d.node)
	}
}

// updateReady restores the rules after n events were taken. The sources may hold more. The caller
// holds mu.
func (d *Dispatcher[T]) updateReady(n int) {
	if d.queued() == 0 && len(d.srcs) == 0 {
		d.clearReady()
	} else if n > 0 {
		d.markReady()
	}
}

// updateReadyPolled is updateReady for a caller that polled the sources. If they were empty, it arms
// them and polls once more. The caller holds drainLock.
func (d *Dispatcher[T]) updateReadyPolled(dst []T, n int, role uint32) (int, error) {
	if n > 0 {
		// A set flag stays set here: with sources, only a holder of drainLock clears it, and a call
		// of Flag sets the new flag.
		if f := d.alone.Load(); f != nil && f.Load() != 0 {
			return n, nil
		}
		d.mu.Lock()
		d.updateReady(n)
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
		d.updateReady(n)
		d.mu.Unlock()
	}
	return n, err
}

// rearm is for a caller that found nothing, or not enough. It removes an empty dispatcher from
// the list, arms the sources so that the set is notified of the next arrival, and polls the
// sources once more. The poll comes last, so that it finds events that arrived before the
// arming or the removal. The caller holds drainLock.
func (d *Dispatcher[T]) rearm() error {
	d.mu.Lock()
	if d.queued() == 0 {
		d.clearReady()
	}
	d.mu.Unlock()
	at(d, "rearm")
	if err := d.armAll(); err != nil {
		d.mu.Lock()
		d.setFlag() // no later event does it
		d.mu.Unlock()
		return err
	}
	at(d, "rearmed")
	d.fill()
	return nil
}
