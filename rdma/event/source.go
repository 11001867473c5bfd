package event

import "slices"

// Source is what a dispatcher empties when somebody asks it for events: a
// completion queue, as a rule. Sources are compared with ==: use pointers.
//
// The dispatcher calls both methods under its drain lock, one at a time. They
// may call Post, Poll, Err, Dequeue, and of a [Provider] Put, PutAll, PutAfterSources,
// Wake and Pump, directly or through callbacks of an adapter, on this or any other
// dispatcher; on this one the last three find what is queued, and drain nothing.
// They must not call what waits, arms, attaches or detaches, enables, joins or
// leaves a set, stops a channel or closes: on this dispatcher such a call waits for
// the drain that it is part of, for ever.
type Source[T any] interface {
	// Drain moves up to len(dst) events into dst, oldest first. Fewer than
	// len(dst) says that there are no more now. signalled tells whether one of
	// them was not quiet. It must not block.
	Drain(dst []T) (n int, signalled bool)
	// Arm asks for one call of the dispatcher's Wake when an event arrives that
	// is not quiet. Events that are there already make none: the dispatcher
	// looks again after it.
	Arm() error
}

// scratchLen is how many events go from a source to the ring at once.
const scratchLen = 64

// attach is [Provider.Attach].
func (d *Dispatcher[T]) attach(src Source[T]) error {
	if src == nil {
		return d.fail(ErrInvalid, "attach", "there is no source")
	}
	d.turn.Lock()
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
	d.regate()
	waiting := d.waiting
	d.mu.Unlock()
	if waiting {
		d.wakeWaiter() // which arms all sources before it sleeps again
	} else {
		d.arm()
	}
	return nil
}

// detach is [Provider.Detach].
func (d *Dispatcher[T]) detach(src Source[T]) error {
	d.turn.Lock()
	defer d.release()
	i := slices.Index(d.srcs, src)
	if i < 0 {
		return d.fail(ErrInvalid, "detach", "the source is not attached")
	}
	for emptied := false; !emptied; {
		_, emptied = d.move(src, scratchLen)
	}
	d.mu.Lock()
	d.srcs = slices.Delete(d.srcs, i, i+1)
	d.regate()
	d.mu.Unlock()
	d.first = 0
	d.fill() // what waits for this source alone waits no more
	return nil
}

// armSources is [Provider.ArmSources].
func (d *Dispatcher[T]) armSources() error {
	d.turn.Lock()
	err := d.armAll()
	d.release()
	return err
}

// watch makes the set that the dispatcher is in, if it is, learn of what the
// sources hold and of what comes to them.
func (d *Dispatcher[T]) watch() {
	const both = gateSet | gateSources
	if d.gate.Load()&both == both {
		d.turn.Lock()
		d.arm()
		d.release()
	}
}

// arm is watch for who holds turn. If the sources cannot be armed the set is
// told at once, so that somebody polls and gets the error.
func (d *Dispatcher[T]) arm() {
	if !d.inSet() {
		return
	}
	err := d.armAll()
	d.fill()
	if err != nil {
		d.mu.Lock()
		d.raise()
		d.mu.Unlock()
	}
}

// armAll arms all sources. Caller holds turn.
func (d *Dispatcher[T]) armAll() (first error) {
	for _, src := range d.srcs {
		if err := src.Arm(); err != nil && first == nil {
			first = err
		}
	}
	if first != nil {
		why := first // so that a good arming allocates nothing
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
	d.raise()
	d.mu.Unlock()
	if waiting {
		d.wakeWaiter()
	}
}
