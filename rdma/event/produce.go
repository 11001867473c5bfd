package event

// Post queues the caller's own event, a copy of ev (uDAPL: dat_evd_post_se). The event wakes
// the waiter or triggers the set like any other event. Post fails with ErrQueueFull if the
// queue is full, with no other effect, and with ErrClosed after Close. It never blocks and
// allocates nothing.
func (d *Dispatcher[T]) Post(ev T) error {
	d.mu.Lock()
	if d.ring.n < d.pushLimit {
		d.ring.push(&ev)
	} else if d.makeRoom(1) > 0 {
		d.enqueue(&ev)
	} else {
		if d.closed {
			d.mu.Unlock()
			return d.fail(ErrClosed, "post", detailClosed)
		}
		d.arrived(true)
		return &d.hot.full
	}
	d.arrived(true)
	return nil
}

// put is [Provider.Put].
func (d *Dispatcher[T]) put(ev *T, quiet bool) bool {
	if ev == nil { // before a lock is held
		mustHave("Put", false)
	}
	d.mu.Lock()
	if d.ring.n < d.pushLimit {
		d.ring.push(ev)
	} else if d.makeRoom(1) > 0 {
		d.enqueue(ev)
	} else {
		d.lose(1, quiet)
		return false
	}
	if d.watched {
		d.tell(!quiet)
		return true
	}
	d.mu.Unlock()
	return true
}

// putAll is [Provider.PutAll].
func (d *Dispatcher[T]) putAll(evs []T, quiet bool) int {
	if len(evs) == 0 {
		return 0
	}
	d.mu.Lock()
	n := len(evs)
	if d.ring.n+n <= d.pushLimit {
		d.ring.pushAll(evs)
	} else if n = d.makeRoom(n); n > 0 {
		for i := range n {
			d.enqueue(&evs[i])
		}
	} else {
		d.lose(len(evs), quiet)
		return 0
	}
	d.arrived(!quiet)
	if n < len(evs) {
		d.mu.Lock()
		d.lose(len(evs)-n, quiet)
	}
	return n
}

// arrived completes a push: it wakes the waiter and updates the set and the flag. The caller
// holds mu; arrived unlocks it.
func (d *Dispatcher[T]) arrived(signalled bool) {
	if d.watched {
		d.tell(signalled)
		return
	}
	d.mu.Unlock()
}

// tell is arrived for a dispatcher with a waiter, a set or a flag.
func (d *Dispatcher[T]) tell(signalled bool) {
	if len(d.srcs) > 0 {
		d.updateGate()
	}
	wake := signalled && d.waiting && d.queued() >= d.want
	if wake {
		d.wakes++
	}
	if signalled {
		d.markReady()
	} else if d.queued() > 0 {
		d.setFlag()
	}
	d.mu.Unlock()
	if wake {
		d.wakeWaiter()
	}
}

// wakeWaiter makes the waiter check again.
func (d *Dispatcher[T]) wakeWaiter() {
	at(d, "wake")
	d.cell.Wake()
}

// lose counts and reports n lost events. A lost event that is not quiet still makes the waiter
// count again: otherwise a queue full of quiet events would stay full. The caller holds mu;
// lose unlocks it.
func (d *Dispatcher[T]) lose(n int, quiet bool) {
	if d.closed {
		d.mu.Unlock()
		return
	}
	report := !d.overflow && d.cfg.Overflow != nil
	d.overflow = true
	d.lost += uint64(n)
	d.updatePushLimit()
	d.arrived(!quiet)
	if report {
		d.cfg.Overflow(d.fail(ErrOverflow, "put", detailOverflow))
	}
}
