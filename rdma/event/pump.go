package event

import "slices"

// pump is [Provider.Pump].
func (d *Dispatcher[T]) pump() bool {
	if !d.drainLock.LockOrMark() {
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
	d.noteHigh(0)
	d.wakeDue = d.wakeDue || !quiet
	d.updatePushLimit()
	d.updateGate()
	d.mu.Unlock()
	at(d, "behind")
	if d.drainLock.LockOrMark() {
		d.fill()
		d.release()
	}
	return true
}

// release unlocks the drain lock. Before that it does the work that other goroutines have
// requested by a mark.
func (d *Dispatcher[T]) release() {
	for !d.drainLock.Unlock() {
		d.fill()
	}
}

// fill moves events from the sources to the ring, as far as there is room. When the sources
// are empty, it appends the events of after. The caller holds drainLock.
func (d *Dispatcher[T]) fill() {
	d.mu.Lock()
	// Events that join after from here on may have to follow events in a source that the loop
	// has already visited. They wait for the next fill.
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
	if d.short.Load() == dry {
		d.short.Store(!dry)
	}
	if ready == 0 {
		return
	}
	at(d, "promote")
	d.mu.Lock()
	if dry {
		d.promote(ready)
	}
	// The waiter counts now, because the events of the sources are counted too. Events that
	// stay in after for lack of room count as well.
	loud := d.wakeDue
	d.wakeDue = false
	d.arrived(loud)
}

// move moves up to room events of one source to the ring. It returns the room left and whether
// the source is empty. The caller holds drainLock.
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

// room is how many events may move from the sources to the ring. An empty ring always has room
// for one: otherwise the events of after, which wait for the sources to be empty, could block
// the sources forever. A closed dispatcher drops what the sources hold, and so has room for all:
// others may wait for what is behind these events. The caller holds mu.
func (d *Dispatcher[T]) room() int {
	room := d.free()
	switch {
	case d.closed:
		return scratchLen
	case room < 1 && d.ring.n == 0:
		return 1
	}
	return room
}

// keep queues events taken from a source and clears evs. It may exceed Cap if other producers
// have used the room meanwhile: an event that has left its source must not be lost. It returns
// the room left. The caller holds drainLock.
func (d *Dispatcher[T]) keep(evs []T, signalled bool) int {
	d.mu.Lock()
	if d.closed {
		d.mu.Unlock()
		clear(evs)
		return scratchLen
	}
	d.overflow = d.overflow && d.free() < 1
	d.ring.reserve(len(evs), d.depth)
	d.updatePushLimit()
	d.ring.pushAll(evs)
	d.noteHigh(0)
	clear(evs)
	room := d.room()
	d.arrived(signalled)
	return room
}

// promote moves the first n events of after to the ring. The caller holds mu.
func (d *Dispatcher[T]) promote(n int) {
	n = min(n, len(d.after))
	d.ring.reserve(n, d.depth)
	d.ring.pushAll(d.after[:n])
	d.after = slices.Delete(d.after, 0, n)
	d.updatePushLimit()
}
