package event

import "slices"

// pump is [Provider.Pump].
func (d *Dispatcher[T]) pump() bool {
	if !d.turn.LockOrMark() {
		return false
	}
	d.fill()
	d.release()
	return true
}

// putAfterSources is [Provider.PutAfterSources].
func (d *Dispatcher[T]) putAfterSources(ev *T, quiet bool) bool {
	mustHave("PutAfterSources", ev != nil)
	d.mu.Lock()
	if d.makeRoom(1) == 0 {
		d.lose(1, quiet)
		return false
	}
	if len(d.srcs) == 0 {
		d.ring.push(ev)
		d.arrived(!quiet)
		return true
	}
	d.after = append(d.after, *ev)
	d.loud = d.loud || !quiet
	d.resoft()
	d.regate()
	d.mu.Unlock()
	at(d, "behind")
	if d.turn.LockOrMark() {
		d.fill()
		d.release()
	}
	return true
}

// release lets the drain lock go, and does first what others have asked for in
// the meantime.
func (d *Dispatcher[T]) release() {
	for !d.turn.Unlock() {
		d.fill()
	}
}

// fill moves what the sources hold into the ring as far as there is room, and
// behind it, if nothing is left in the sources, what has waited for that.
// Caller holds turn.
func (d *Dispatcher[T]) fill() {
	d.mu.Lock()
	// Events that come to after from here on may have something in a source
	// that the loop has passed already. They wait for the next time.
	ready := len(d.after)
	room := d.room()
	d.mu.Unlock()
	dry := true
	for i := range d.srcs {
		var emptied bool
		room, emptied = d.move(d.srcs[(d.first+i)%len(d.srcs)], room)
		dry = dry && emptied
	}
	if d.first++; d.first >= len(d.srcs) {
		d.first = 0
	}
	if ready == 0 {
		return
	}
	d.mu.Lock()
	if dry {
		d.promote(ready)
	}
	// Whoever waits counts now, when what was in the sources is counted, too;
	// what must stay behind for lack of room counts as well.
	loud := d.loud
	d.loud = false
	d.arrived(loud)
}

// move moves up to room events of one source into the ring. It returns the
// room that is left, and whether the source had no more. Caller holds turn.
func (d *Dispatcher[T]) move(src Source[T], room int) (left int, emptied bool) {
	if d.scratch == nil {
		d.scratch = make([]T, scratchLen)
	}
	for room > 0 {
		buf := d.scratch[:min(room, scratchLen)]
		n, signalled := src.Drain(buf)
		if n > 0 {
			room = d.keep(buf[:n], signalled)
		}
		if n < len(buf) {
			return room, true
		}
	}
	return room, false
}

// room is how many events may be moved from sources to the ring. There is
// always room for one in an empty ring, or what waits behind the sources could
// keep them from running dry. Caller holds mu.
func (d *Dispatcher[T]) room() int {
	room := d.free()
	switch {
	case d.closed:
		return 0
	case room < 1 && d.ring.n == 0:
		return 1
	}
	return room
}

// keep queues events that came out of a source, and clears evs. Should others
// have taken the room meanwhile, the queue is longer than Cap for a while:
// nothing that has left a source may be lost. It returns the room that is left.
// Caller holds turn.
func (d *Dispatcher[T]) keep(evs []T, signalled bool) int {
	d.mu.Lock()
	if d.closed {
		d.mu.Unlock()
		clear(evs)
		return 0
	}
	d.ring.reserve(len(evs), d.depth)
	d.resoft()
	d.ring.pushAll(evs)
	clear(evs)
	room := d.room()
	d.arrived(signalled)
	return room
}

// promote moves the first n events of after into the ring. Caller holds mu.
func (d *Dispatcher[T]) promote(n int) {
	n = min(n, len(d.after))
	d.ring.reserve(n, d.depth)
	d.ring.pushAll(d.after[:n])
	d.after = slices.Delete(d.after, 0, n)
	d.resoft()
}
