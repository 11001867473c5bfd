package event

import (
	"sync/atomic"
	"time"
)

// DequeueInto is Dequeue that puts the event into *ev, which stays as it is if there is
// none.
func (p Provider[T]) DequeueInto(ev *T) error { return p.d.dequeueInto(ev) }

// DequeueFunc is Dequeue that shows the event to use, in place, which saves a copy: for
// who makes something else of it. ev is good until use returns. use must be quick and
// must not call the dispatcher; it is not called if there is no event.
func (p Provider[T]) DequeueFunc(use func(ev *T)) error { return p.d.dequeueFunc(use) }

// WaitTimeoutInto is WaitTimeout that puts the event into *first.
func (p Provider[T]) WaitTimeoutInto(first *T, timeout time.Duration, threshold int) (more int, err error) {
	return p.d.waitTimeoutInto(first, timeout, threshold)
}

// Flag has *flag tell, without a call, whether polling is worth while: 0 says that
// it would have found nothing, anything else that it may find something. It is for
// those to whom a call is dear, such as C that calls Go. It starts at 1; a poll
// that finds nothing takes it down, after it has had the sources call for what
// comes; an arrival puts it up, and so does Close, for good.
//
// Quiet events inside a source put no flag up, as they wake nobody: who must have
// those in time polls now and then all the same. The flag may be up with nothing
// there. *flag is written by the dispatcher alone, until Close or another Flag;
// nil takes it away. A set, waits and polls are not concerned.
func (p Provider[T]) Flag(flag *atomic.Uint32) { p.d.setFlag(flag) }

// SetBurst changes Config.Burst, for a dispatcher that somebody else made. A wait
// under way goes on as it began. Who looks, in a burst before parking, finds quiet
// events, too, although they would not have woken it: where that matters, wait
// without a burst (negative).
func (p Provider[T]) SetBurst(looks int) { p.d.setBurst(looks) }
