package event

import (
	"context"
	"iter"
	"time"

	"github.com/godapl/godapl/internal/wait"
)

// setWaiter is one wait on a set.
type setWaiter struct {
	s          *Set
	cell       wait.Cell
	all        bool // take the whole trigger: see Set.WaitTrigger
	queued     bool // guarded by the set's mu, as are the links
	prev, next *setWaiter

	orphaned uint64 // the value of the set's orphaned that does not end this wait
	got      *node
	err      error

	host    wait.Joint   // where it parks; nil: it sleeps on its token
	parked  []wait.Joint // host and its guests
	partly  bool         // another has the parker of a member: for that one, this waiter sleeps elsewhere
	changes uint64       // of the set's parks, before it looked for a host
}

// Look implements wait.Waitable: it takes the first ready dispatcher.
func (w *setWaiter) Look() bool {
	at(w.s, "set: look")
	s := w.s
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case s.closed:
		w.err = s.fail(ErrClosed, "wait", detailClosed)
	case s.first != nil:
		w.got = s.first
		s.unlink(w.got)
		for w.all && s.first != nil {
			s.unlink(s.first)
		}
	case s.orphaned != w.orphaned:
		w.err = s.fail(ErrClosed, "wait", "its last dispatcher has been closed")
	default:
		return false
	}
	s.waiters.remove(w)
	return true
}

// Arm implements wait.Waitable: it queues the waiter for a wake-up.
func (w *setWaiter) Arm() {
	at(w.s, "set: arm")
	w.s.mu.Lock()
	if !w.queued {
		w.s.waiters.push(w)
	}
	w.s.mu.Unlock()
	if w.host == nil || w.partly {
		w.s.elsewhere()
	}
}

// Wait blocks until a dispatcher is ready and returns it (uDAPL: dat_cno_wait). Any number of
// goroutines may wait; a dispatcher that becomes ready is returned to one of them. It ends
// with ErrCanceled or ErrTimeout when ctx ends, with ErrClosed when the set or its last
// dispatcher is closed. If the last dispatcher was closed before the call, Wait returns
// ErrClosed at once, until another is added: so a loop of waits ends, even if no wait was in
// progress at that moment. A set that never had a dispatcher, or whose last dispatcher was
// removed, waits. Only errors are allocated.
func (s *Set) Wait(ctx context.Context) (Member, error) {
	if ctx == nil {
		return nil, s.fail(ErrInvalid, "wait", detailNil)
	}
	return s.wait(ctx, Forever, false)
}

// WaitTimeout is Wait with a time limit instead of a context: ErrTimeout when it has passed. 0
// or less does not block; Forever is no limit.
func (s *Set) WaitTimeout(timeout time.Duration) (Member, error) {
	return s.wait(noContext, timeout, false)
}

// WaitTrigger waits for the set as one trigger, which is how a CNO works (uDAPL:
// dat_cno_wait): it returns the dispatcher that became ready first, as a hint, and clears the
// ready list. So the caller must drain all dispatchers of the set before it waits again. A
// dispatcher that was drained in part, or gets more events, triggers again. WaitTrigger ends
// as Wait does.
func (s *Set) WaitTrigger(ctx context.Context) (Member, error) {
	if ctx == nil {
		return nil, s.fail(ErrInvalid, "wait", detailNil)
	}
	return s.wait(ctx, Forever, true)
}

// WaitTriggerTimeout is WaitTrigger with a time limit; see WaitTimeout.
func (s *Set) WaitTriggerTimeout(timeout time.Duration) (Member, error) {
	return s.wait(noContext, timeout, true)
}

func (s *Set) wait(ctx context.Context, timeout time.Duration, all bool) (Member, error) {
	w := s.waiter()
	w.all = all
	o := wait.Options{Parker: w, Looked: true}
	if ctx != nil {
		o.Context = ctx
	}
	if timeout != Forever {
		o.Timeout = timeout
	}
	out := wait.Ready
	if timeout <= 0 {
		s.elsewhere() // nobody parks
	}
	if !w.Look() {
		out = wait.Timeout
		if timeout > 0 {
			out = w.cell.Wait(w, o)
		}
	}
	got, err := s.retire(w)
	switch {
	case err != nil:
		return nil, err
	case out == wait.Ready:
		return got.member, nil
	case ctx != nil:
		return nil, errContext(ctx, "wait", "set")
	}
	return nil, &errSetTimeout
}

var errSetTimeout = Error{Op: "wait", Object: "set", Code: ErrTimeout, Detail: "no dispatcher became ready in time"}

// Ready iterates over the dispatchers that become ready. The last step yields nil and
// the reason for the end: ErrCanceled or ErrTimeout when ctx ends, ErrClosed when the
// set or its last dispatcher is closed. A nil ctx is a panic.
func (s *Set) Ready(ctx context.Context) iter.Seq2[Member, error] {
	mustHave("Ready", ctx != nil)
	return func(yield func(Member, error) bool) {
		done := ctx.Done()
		for {
			select {
			case <-done: // ends the loop even if a dispatcher is always ready
				yield(nil, errContext(ctx, "wait", "set"))
				return
			default:
			}
			m, err := s.Wait(ctx)
			if err != nil {
				yield(nil, err)
				return
			}
			if !yield(m, nil) {
				return
			}
		}
	}
}

// waiter reuses a spare waiter or allocates one.
func (s *Set) waiter() *setWaiter {
	s.mu.Lock()
	w := s.spare
	if w != nil {
		s.spare = w.next
		w.next = nil
	} else {
		w = &setWaiter{s: s}
	}
	w.orphaned = s.renewed
	s.mu.Unlock()
	return w
}

// retire returns the result of a waiter and keeps the waiter for the next wait.
func (s *Set) retire(w *setWaiter) (got *node, err error) {
	s.mu.Lock()
	got, err = w.got, w.err
	w.got, w.err = nil, nil
	s.waiters.remove(w)
	if got == nil {
		s.passOn()
	}
	if s.closed {
		w.cell.Forget()
	}
	w.next, s.spare = s.spare, w
	s.mu.Unlock()
	return got, err
}

// passOn wakes another waiter in place of one that leaves with nothing: a trigger may have woken that one behind its
// last look. The caller holds mu.
func (s *Set) passOn() {
	if s.first != nil {
		s.waiters.wakeOne()
	}
}
