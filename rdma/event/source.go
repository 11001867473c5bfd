package event

import "slices"

// Source is a queue that a dispatcher empties when a consumer asks for events, usually a
// completion queue. Sources are compared with ==: use pointers.
//
// The dispatcher calls both methods under its drain lock, one at a time. They may call Post,
// Poll, Err, Dequeue, and of a [Provider] Put, PutAll, PutAfterSources, Wake and Pump,
// directly or through callbacks of an adapter, on this or any other dispatcher; on this
// dispatcher the calls that take events find only queued events and do not drain. They must
// not call methods of this dispatcher that wait, arm, attach or detach, enable, join or leave
// a set, stop a channel or close: such a call waits for the drain that it is part of and
// deadlocks.
type Source[T any] interface {
	// Drain moves up to len(dst) events into dst, oldest first. Fewer than len(dst) means that
	// the source is empty now. signalled reports whether at least one of them was not quiet.
	// Drain must not block.
	Drain(dst []T) (n int, signalled bool)
	// Arm requests one call of the dispatcher's Wake at the next event that is not quiet.
	// Events that are already in the source cause no call: the dispatcher drains again after
	// Arm.
	Arm() error
}

// scratchLen is how many events go from a source to the ring at once.
const scratchLen = 64

// attach is [Provider.Attach].
func (d *Dispatcher[T]) attach(src Source[T]) error {
	if src == nil {
		return d.fail(ErrInvalid, "attach", "there is no source")
	}
	d.drainLock.Lock()
	defer d.release()
	d.mu.Lock()
	if d.closed {
		d.mu.Unlock()
		return d.fail(ErrClosed, "attach", detailClosed)
	}
	if slices.Contains(d.srcs, src) {
		d.mu.Unlock()
		return d.fail(ErrState, "attach", "the source is attached already")
	}
	d.srcs = append(d.srcs, src)
	d.findSentry()
	d.updateGate()
	waiting := d.waiting
	d.mu.Unlock()
	if waiting {
		d.wakeWaiter() // the waiter arms all sources before it sleeps again
	} else {
		d.arm()
	}
	return nil
}

// detach is [Provider.Detach].
func (d *Dispatcher[T]) detach(src Source[T]) error {
	d.drainLock.Lock()
	defer d.release()
	i := slices.Index(d.srcs, src)
	if i < 0 {
		return d.fail(ErrInvalid, "detach", "the source is not attached")
	}
	for emptied := false; !emptied; {
		_, emptied = d.move(src, scratchLen)
	}
	disarmSource(src, true)
	d.mu.Lock()
	d.srcs = slices.Delete(d.srcs, i, i+1)
	d.findSentry()
	d.updateGate()
	d.first = 0
	if len(d.srcs) > 0 {
		d.mu.Unlock()
		d.fill() // releases events of after that waited only for this source
		return nil
	}
	// Without sources nobody fills, and what comes next goes to the ring. So after must be empty now.
	d.promote(len(d.after))
	loud := d.wakeDue
	d.wakeDue = false
	d.short.Store(false)
	d.arrived(loud)
	at(d, "detached")
	return nil
}

// armSources is [Provider.ArmSources].
func (d *Dispatcher[T]) armSources() error {
	d.drainLock.Lock()
	err := d.armAll()
	d.release()
	return err
}

// watch arms the sources and updates the dispatcher's set, if it has one, with the events that
// they hold.
func (d *Dispatcher[T]) watch() {
	const both = gateSet | gateSources
	if d.gate.Load()&both == both {
		d.drainLock.Lock()
		d.arm()
		d.release()
	}
}

// arm is watch for a holder of drainLock. If arming fails, it triggers the set at once, so that the
// next poll returns the error.
func (d *Dispatcher[T]) arm() {
	if !d.inSet() {
		return
	}
	d.filled(d.armAll())
}

// filled updates the set after arming, which has returned err. Nobody tells of what the queue has no room for now. The
// caller holds drainLock.
func (d *Dispatcher[T]) filled(err error) {
	d.fill()
	if err != nil || d.short.Load() {
		d.mu.Lock()
		d.markReady()
		d.mu.Unlock()
	}
}

// armAll arms all sources. Caller holds drainLock.
func (d *Dispatcher[T]) armAll() (first error) {
	for _, src := range d.srcs {
		if err := src.Arm(); err != nil && first == nil {
			first = err
		}
	}
	if first != nil {
		why := first // so that the path without an error allocates nothing
		d.broken.Store(&why)
	} else if d.broken.Load() != nil {
		d.broken.Store(nil)
	}
	return first
}

// wake is [Provider.Wake].
func (d *Dispatcher[T]) wake() {
	d.mu.Lock()
	if d.closed {
		d.mu.Unlock()
		return
	}
	waiting := d.waiting
	d.markReady()
	d.mu.Unlock()
	if waiting {
		d.wakeWaiter()
	}
}
