package event

import "slices"

// The queue has three parts: the events of stopped channels (front), the ring, and the events
// that wait until the sources are empty (after).

// queued counts the events of all three parts. The caller holds mu.
func (d *Dispatcher[T]) queued() int {
	n := d.ring.n + len(d.after)
	for _, c := range d.front {
		n += len(c)
	}
	return n
}

// pop moves the oldest events to dst. Caller holds mu.
func (d *Dispatcher[T]) pop(dst []T) (n int) {
	for len(d.front) > 0 && n < len(dst) && d.popFront(&dst[n]) {
		n++
	}
	return n + d.ring.pop(dst[n:])
}

// popFront takes events from a stopped channel. The channel is closed, but its receivers may
// still take from it concurrently. The caller holds mu.
func (d *Dispatcher[T]) popFront(dst *T) bool {
	for len(d.front) > 0 {
		if ev, ok := <-d.front[0]; ok {
			*dst = ev
			return true
		}
		d.front = slices.Delete(d.front, 0, 1)
	}
	d.front = nil
	d.updatePushLimit()
	return false
}

// putFront makes the events in the closed channel c, followed by held, the oldest of the
// queue. The caller holds mu.
func (d *Dispatcher[T]) putFront(c <-chan T, held []T) {
	if len(held) > 0 && len(d.front) == 0 {
		d.ring.reserve(len(held), d.depth)
		d.ring.pushFront(held)
	} else if len(held) > 0 {
		// held goes between c and the existing entries of front.
		h := make(chan T, len(held))
		for _, ev := range held {
			h <- ev
		}
		close(h)
		d.front = slices.Insert(d.front, 0, (<-chan T)(h))
	}
	if len(c) > 0 {
		d.front = slices.Insert(d.front, 0, c)
	}
	d.updatePushLimit()
	d.noteHigh(0)
}

// noteHigh notes the largest number of queued events, with n that are about to be. The ring counts its own. The caller
// holds mu.
func (d *Dispatcher[T]) noteHigh(n int) {
	if len(d.front)+len(d.after) > 0 {
		d.ring.high = max(d.ring.high, d.queued()+n)
	}
}

// free is how many events may still be queued. Events in a running channel count against the
// depth. They change without mu, so call free once and keep the result. The caller holds mu.
func (d *Dispatcher[T]) free() int {
	n := d.depth - d.queued()
	if f := d.face.Load(); f != nil {
		n -= len(f.events) + int(f.hand.Load())
	}
	return n
}

// makeRoom returns how many of n more events may be queued and grows the ring for them. The
// caller holds mu.
func (d *Dispatcher[T]) makeRoom(n int) int {
	n = min(n, d.free())
	if d.closed || n < 1 {
		return 0
	}
	d.overflow = false
	d.noteHigh(n)
	d.ring.reserve(n, d.depth)
	d.updatePushLimit()
	return n
}

// updatePushLimit recomputes pushLimit: while the ring is shorter than that, a push needs no other check.
// The caller holds mu.
func (d *Dispatcher[T]) updatePushLimit() {
	d.pushLimit = min(d.depth, len(d.ring.buf))
	if d.closed || d.overflow || len(d.front)+len(d.after) > 0 || d.face.Load() != nil {
		d.pushLimit = 0
	}
}

// enqueue appends an event for which there is room: to the ring, or to after if that is not
// empty. The caller holds mu.
func (d *Dispatcher[T]) enqueue(ev *T) {
	if len(d.after) > 0 {
		d.after = append(d.after, *ev)
	} else {
		d.ring.push(ev)
	}
}
