package event

import (
	"sync/atomic"
	"time"
)

// DequeueInto is Dequeue, but stores the event in *ev. Without an event *ev is unchanged.
func (p Provider[T]) DequeueInto(ev *T) error { return p.d.dequeueInto(ev) }

// DequeueFunc is Dequeue, but calls use with the oldest event in place, which saves a copy for
// callers that convert it. ev is valid until use returns. use must be quick and must not call
// the dispatcher. Without an event use is not called.
func (p Provider[T]) DequeueFunc(use func(ev *T)) error { return p.d.dequeueFunc(use) }

// WaitTimeoutInto is WaitTimeout, but stores the event in *first.
func (p Provider[T]) WaitTimeoutInto(first *T, timeout time.Duration, threshold int) (more int, err error) {
	return p.d.waitTimeoutInto(first, timeout, threshold)
}

// Flag keeps *flag non-zero while Poll may find events; 0 means that Poll would find none.
// Callers for which a call is expensive (C through cgo) test the flag first. It starts at 1. A
// poll that finds nothing arms the sources and clears it. An arrival sets it; Close sets it
// for good.
//
// Quiet events inside a source do not set the flag, as they wake no waiter: a program that
// needs them in time polls now and then anyway. The flag may be set while there are no events.
// Only the dispatcher writes *flag, until Close or another call of Flag; nil removes the flag.
// Sets, waits and polls do not depend on it.
func (p Provider[T]) Flag(flag *atomic.Uint32) { p.d.attachFlag(flag) }

// SetBurst changes Config.Burst of an existing dispatcher. A wait in progress keeps the former
// value. A burst also finds quiet events, although they would not have woken the waiter: where
// that matters, wait without a burst (negative).
func (p Provider[T]) SetBurst(looks int) { p.d.setBurst(looks) }

// SetEager sets how often a wait polls behind a burst that has found nothing, over a path on which waits always have a
// burst (shared memory). It is for events that are expected sooner than a goroutine wakes up. While such polls find
// nothing, most waits have none. 0, as at first: none. A wait in progress keeps the former value.
func (p Provider[T]) SetEager(looks int) { p.d.setEager(looks) }

// Enable makes arrivals trigger the set again (uDAPL: dat_evd_enable). If events are queued,
// it triggers the set once. It may be called at any time, in a set or not.
func (p Provider[T]) Enable() { p.d.enable() }

// Disable stops arrivals from triggering the set (uDAPL: dat_evd_disable). Events are still
// queued, and can be waited for and taken.
func (p Provider[T]) Disable() { p.d.disable() }

// SetWaitable allows waits and channels, or forbids them (uDAPL: dat_evd_clear_unwaitable,
// dat_evd_set_unwaitable). SetWaitable(false) ends a wait with ErrState, even if SetWaitable(true)
// follows at once, and a channel as StopChan does. Poll, Dequeue and sets are not affected.
func (p Provider[T]) SetWaitable(ok bool) { p.d.setWaitable(ok) }
