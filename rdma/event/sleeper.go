package event

import (
	"github.com/godapl/godapl/internal/wait"
)

// Sleeper is the wait of [Dispatcher.WaitTimeout] for a thread that sleeps outside of Go, such as
// a thread of C in poll(2). The thread calls Begin, sleeps, and calls Again each time it is woken,
// until one of these calls returns asleep false: then the wait is over. The wake-up does not pass
// through Go's scheduler. Programs in Go do not need it.
//
// The thread is woken by the function given to NewSleeper, or by one of Descriptors. One wait at
// a time uses a Sleeper; another wait may follow, on any dispatcher of the same type. It needs no
// closing. The calls allocate nothing but errors and, the first time on a dispatcher, a channel.
type Sleeper[T any] struct {
	d     *Dispatcher[T]
	kick  func()
	fds   []int32
	armed bool // this wait has armed the sources
}

// NewSleeper creates a sleeper. kick wakes the thread. Any goroutine may call kick, also once
// more after the wait has ended; it must not block.
func NewSleeper[T any](kick func()) *Sleeper[T] {
	mustHave("NewSleeper", kick != nil)
	return &Sleeper[T]{kick: kick}
}

// Begin begins what [Dispatcher.WaitTimeout] does, and ends it at once if it can: then asleep is
// false, and the other results are those of WaitTimeout. Otherwise the thread sleeps and calls
// Again. With block false, Begin ends the wait in any case, with ErrTimeout.
func (s *Sleeper[T]) Begin(d *Dispatcher[T], first *T, threshold int, block bool) (more int, asleep bool, err error) {
	d.looks()
	role := uint32(asEntrant)
	if block {
		role = asSleeper
	}
	if more, over, err := d.enterWait(first, threshold, role, block); over {
		return more, false, err
	}
	s.d, s.fds = d, s.fds[:0]
	if !d.cell.Begin((*external[T])(s), wait.Options{Looked: true}, &s.kick) {
		return 0, true, nil
	}
	more, err = s.end(first)
	return more, false, err
}

// Again checks once more whether the wait is over. With last, for instance because the thread's
// time limit has passed, it ends the wait in any case, with ErrTimeout if there are not enough
// events. The results are those of Begin.
func (s *Sleeper[T]) Again(first *T, last bool) (more int, asleep bool, err error) {
	if !last {
		if !s.d.cell.Again((*external[T])(s)) {
			return 0, true, nil
		}
		more, err = s.end(first)
		return more, false, err
	}
	d := s.d
	ready := d.waiter.Look()
	more, err = s.end(first)
	if !ready {
		err = d.ended(noContext)
	}
	return more, false, err
}

// Descriptors are readable when there may be something for the sleeper. They change with each
// Begin and Again, belong to the library, and are valid until the next call; one that was closed
// meanwhile wakes the thread for nothing at worst. Without any, only kick wakes the thread.
func (s *Sleeper[T]) Descriptors() []int32 { return s.fds }

// end ends the wait and returns its result.
func (s *Sleeper[T]) end(first *T) (more int, err error) {
	d := s.d
	s.d = nil
	w := &d.waiter
	*first, more, err = w.first, w.more, w.err
	d.cell.End()
	if s.armed {
		s.armed = false
		d.disarmDescriptors(s, true)
	}
	d.resign()
	d.mu.Lock()
	inSet := d.node.set != nil
	if !inSet {
		// The sources need not be armed for the flag: it is set.
		d.setFlag()
	}
	d.mu.Unlock()
	if inSet {
		d.watch()
	}
	return more, err
}

// external is the sleeper's side that the wait loop calls.
type external[T any] Sleeper[T]

var _ wait.Waitable = (*external[int])(nil)

func (s *external[T]) Look() bool { return s.d.waiter.Look() }

// Arm arms the sources for a thread that watches their descriptors.
func (s *external[T]) Arm() {
	s.fds = s.fds[:0]
	if s.d.gate.Load()&gateSources != 0 {
		at(s.d, "arm")
		s.armed = true
		s.d.waiter.broken = s.d.armDescriptors((*Sleeper[T])(s), &s.fds)
	}
}

// descriptorSource is an optional interface of a [Source]: a thread outside of Go can wait for its
// arrivals.
type descriptorSource interface {
	// ArmDescriptors arms like Arm, for a consumer that sleeps until one of the descriptors
	// appended to fds is readable. Arrivals that they do not report cause Wake, as after Arm.
	ArmDescriptors(fds []int32) ([]int32, error)
	// DisarmDescriptors says that the consumer does not watch the descriptors any more. alone
	// reports that the dispatcher and its set have nobody else to tell of arrivals.
	DisarmDescriptors(alone bool)
}

// armDescriptors arms the sources for a sleeper. Only one sleeper at a time has their descriptors.
func (d *Dispatcher[T]) armDescriptors(sleeper any, fds *[]int32) error {
	d.drainLock.Lock()
	err := d.armOutside(sleeper, fds)
	d.release()
	return err
}

// armOutside is armDescriptors for a holder of drainLock.
func (d *Dispatcher[T]) armOutside(sleeper any, fds *[]int32) (first error) {
	if d.outside == nil {
		d.outside = sleeper
	}
	for _, src := range d.srcs {
		var err error
		if o, ok := src.(descriptorSource); ok && d.outside == sleeper {
			*fds, err = o.ArmDescriptors(*fds)
		} else {
			err = src.Arm()
		}
		if err != nil && first == nil {
			first = err
		}
	}
	return first
}

// disarmDescriptors ends that.
func (d *Dispatcher[T]) disarmDescriptors(sleeper any, alone bool) {
	d.drainLock.Lock()
	d.giveBack(sleeper, alone)
	d.release()
}

// giveBack is disarmDescriptors for a holder of drainLock.
func (d *Dispatcher[T]) giveBack(sleeper any, alone bool) {
	if d.outside == sleeper {
		d.outside = nil
		for _, src := range d.srcs {
			disarmSource(src, alone)
		}
	}
}

func disarmSource(src any, alone bool) {
	if o, ok := src.(descriptorSource); ok {
		o.DisarmDescriptors(alone)
	}
}
