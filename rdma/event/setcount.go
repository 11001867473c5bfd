package event

import (
	"context"
	"fmt"
	"slices"

	"github.com/godapl/godapl/internal/wait"
)

// counter is a caller of WaitThreshold.
type counter struct {
	s        *Set
	cell     wait.Cell
	want     int
	orphaned uint64   // the value of the set's orphaned that does not end this wait
	members  []Member // scratch
	queued   int
	growing  bool  // an Add is in progress, which makes it count again at its end
	broken   error // why a member cannot be armed: nothing would wake the caller
	err      error
}

// WaitThreshold blocks until at least threshold events are queued in the dispatchers of the
// set together, and returns their number. It takes no event and does not change which
// dispatchers are ready: poll all of them, or those that Wait returns. It serves programs that
// need a number of completions before they can continue, wherever these arrive: for example a
// log entry that two of three replicas must store.
//
// Events that are queued already and quiet events count. After that only an arrival that is
// not quiet makes it count again. Dispatchers that are disabled, or waited on directly, count
// but do not wake. WaitThreshold ends as Wait does, and with the error of a source that cannot be
// armed; ErrInvalid if threshold is less than 1 or more than all dispatchers can hold together, also
// after one of them was added, removed, closed or resized. A set that has none waits for Add, and
// looks at all that one Add adds together. The cost of counting is proportional to the number of
// dispatchers. Several goroutines may wait. Only errors are allocated.
func (s *Set) WaitThreshold(ctx context.Context, threshold int) (queued int, err error) {
	if ctx == nil {
		return 0, s.fail(ErrInvalid, "wait", detailNil)
	}
	if threshold < 1 {
		return 0, s.fail(ErrInvalid, "wait", fmt.Sprintf("the threshold %d is less than 1", threshold))
	}
	c := s.counter(threshold)
	out := c.cell.Wait(c, wait.Options{Done: ctx.Done()})
	queued, err = s.retireCounter(c)
	if err == nil && out != wait.Ready {
		err = errContext(ctx, "wait", "set")
	}
	return queued, err
}

// Look implements wait.Waitable: it counts the events of all members.
func (c *counter) Look() bool {
	at(c.s, "set: count")
	c.queued = 0
	if !c.snapshot() {
		return true
	}
	room := 0
	for _, m := range c.members {
		q, r := m.tally()
		c.queued += q
		room += r
	}
	if c.queued < c.want && len(c.members) > 0 && !c.growing && c.want > room {
		c.err = c.s.fail(ErrInvalid, "wait", fmt.Sprintf("the threshold %d is more than the %d events that its dispatchers hold", c.want, room))
	}
	if c.queued < c.want && c.err == nil {
		c.err = c.broken
	}
	return c.queued >= c.want || c.err != nil
}

// snapshot lists the members. It returns false if the wait is over.
func (c *counter) snapshot() bool {
	s := c.s
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case s.closed:
		c.err = s.fail(ErrClosed, "wait", detailClosed)
	case s.orphaned != c.orphaned && len(s.members) == 0:
		c.err = s.fail(ErrClosed, "wait", "its last dispatcher has been closed")
	}
	c.growing = s.adding > 0
	c.members = c.members[:0]
	for n := range s.members {
		c.members = append(c.members, n.member)
	}
	return c.err == nil
}

// Arm implements wait.Waitable: it arms the sources of all members.
func (c *counter) Arm() {
	at(c.s, "set: arm count")
	c.broken = nil
	for _, m := range c.members {
		if err := m.armForSet(); err != nil {
			c.broken = err
		}
	}
	c.s.elsewhere()
}

// wakeCounters makes the callers of WaitThreshold count again. The caller holds mu.
func (s *Set) wakeCounters() {
	for _, c := range s.counters {
		c.cell.Wake()
	}
}

// add counts a call of Add, by 1 and by -1.
func (s *Set) add(n int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.adding += n
	if s.adding == 0 {
		s.wakeCounters() // all members together may hold fewer events than a threshold
	}
}

// resized makes the callers of WaitThreshold look at what the members hold now. The caller holds the dispatcher's mu.
func (s *Set) resized() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.wakeCounters()
}

// counter reuses a spare counter or allocates one, and registers it for wake-ups.
func (s *Set) counter(want int) *counter {
	s.mu.Lock()
	defer s.mu.Unlock()
	c := s.spareCounter
	s.spareCounter = nil
	if c == nil {
		c = &counter{s: s}
	}
	c.want, c.orphaned, c.broken, c.err = want, s.renewed, nil, nil
	s.counters = append(s.counters, c)
	s.counting.Store(int32(len(s.counters)))
	return c
}

// retireCounter takes the result out of a counter and keeps it for the next wait.
func (s *Set) retireCounter(c *counter) (queued int, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	i := slices.Index(s.counters, c)
	s.counters = slices.Delete(s.counters, i, i+1)
	s.counting.Store(int32(len(s.counters)))
	clear(c.members)
	s.spareCounter = c
	return c.queued, c.err
}

// The dispatcher's side.

// tally moves events from the sources to the queue and returns how many are queued.
func (d *Dispatcher[T]) tally() (queued, room int) {
	if d.gate.Load()&gateSources != 0 {
		d.pump() // if a drain is in progress, that drain does it before it ends, and wakes
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.queued(), d.depth
}

// armForSet arms the sources for the next event.
func (d *Dispatcher[T]) armForSet() error {
	if d.gate.Load()&gateSources == 0 {
		return nil
	}
	return d.armSources()
}
