package event

import (
	"sync"
	"sync/atomic"

	"github.com/godapl/godapl/rdma/status"
)

// Member is what a set can wait for: a *Dispatcher of any type. Members compare
// with ==, also with the dispatcher itself:
//
//	switch ready {
//	case recvs: …
//	case sends: …
//	}
type Member interface {
	// Name is the name that the dispatcher was configured with.
	Name() string

	join(*Set) error
	leave(*Set) error
	place() *node
	tally() (queued, room int)
	armForSet()
}

// node is a dispatcher's place in a set.
type node struct {
	member Member
	set    *Set // guarded by the dispatcher's mu
	// listed: it is on the ready list. Written under the set's mu; read without
	// to skip work.
	listed     atomic.Bool
	prev, next *node // on the ready list; guarded by the set's mu
}

// Set waits for many dispatchers (uDAPL: CNO). It keeps a list of those that are
// ready, each on it once; a wait takes the first. Registered dispatchers that
// have nothing cost nothing.
//
// A dispatcher gets on the list when an event arrives that is not quiet, unless
// it is disabled or somebody waits on it directly. A trigger is sticky: it stays
// until a wait returns the dispatcher or somebody has drained it. One waiter is
// woken per trigger. What a wait returns is a hint: others may have drained the
// dispatcher meanwhile. A dispatcher that was returned and left alone is
// returned again when more arrives; one of whose events a part was taken goes to
// the end of the list, behind the others that are ready. So take one batch, and
// wait again:
//
//	for ready, err := range set.Ready(ctx) {
//		if err != nil {
//			return err
//		}
//		switch ready {
//		case receives:
//			n := receives.Poll(buf[:]) // once: the others have their turn, too
//		…
//
// Nothing is missed that way, and no dispatcher keeps the others waiting. To poll
// one until it gives 0 does keep them waiting: while events arrive as fast as they
// are handled there is no end to it, and the completions of the program's own
// requests pile up in another dispatcher meanwhile.
//
// A dispatcher with sources that was returned must be polled, for that arms its
// sources when there is nothing left.
type Set struct {
	// mu guards all that follows. It is taken under a dispatcher's mu, so
	// nothing may be called under it that locks a dispatcher.
	mu          sync.Mutex
	first, last *node // the ready list
	members     map[*node]struct{}
	closed      bool
	// orphaned counts how often the last member was closed; renewed is what it
	// was when a member came last.
	orphaned, renewed uint64
	waiters           waiterList
	counters          []*counter   // those who wait for a number of events
	counting          atomic.Int32 // len(counters)
	spareCounter      *counter
	spare             *setWaiter // waiters to be used again
	face              *setFace
	visits            uint64 // list entries touched, for a test that counts them
	// notify is called by the next trigger, on a goroutine that calls counts.
	notify func(Member)
	calls  sync.WaitGroup
	poll   *readiness // nil: nobody asked for a descriptor
}

// NewSet makes an empty set (uDAPL: dat_cno_create).
func NewSet() *Set { return &Set{members: make(map[*node]struct{})} }

// Add puts dispatchers into the set. What they have queued counts as just
// arrived. A dispatcher is in one set at a time: ErrInUse if it is in another;
// adding it twice is harmless. ErrClosed if it or the set is closed. On an
// error those before it have been added.
func (s *Set) Add(members ...Member) error {
	for _, m := range members {
		if m == nil {
			return s.fail(ErrInvalid, "add", "there is no dispatcher")
		}
		if err := m.join(s); err != nil {
			return err
		}
	}
	return nil
}

// Remove takes dispatchers out of the set. A wait that has returned one already
// is not concerned. ErrInvalid if one is not in the set; those before it have
// been removed.
func (s *Set) Remove(members ...Member) error {
	for _, m := range members {
		if m == nil {
			return s.fail(ErrInvalid, "remove", "there is no dispatcher")
		}
		if err := m.leave(s); err != nil {
			return err
		}
	}
	return nil
}

// Len is how many dispatchers are in the set.
func (s *Set) Len() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.members)
}

// Close ends the set (uDAPL: dat_cno_free). Who waits gets ErrClosed, the channel
// is closed, its goroutine has ended when Close returns. The dispatchers stay
// as they are and belong to no set. Closing twice is harmless.
func (s *Set) Close() error {
	s.mu.Lock()
	s.closed = true
	s.notify = nil
	s.wakeAll()
	s.wakeCounters()
	var members []Member
	for n := range s.members {
		members = append(members, n.member)
	}
	s.mu.Unlock()
	for _, m := range members {
		m.leave(s) // an error: somebody else has removed it
	}
	s.StopChan()
	s.calls.Wait()
	s.mu.Lock()
	if s.poll != nil {
		s.poll.close()
		s.poll = nil
	}
	s.mu.Unlock()
	return nil
}

func (s *Set) fail(code status.Code, op, detail string) *Error {
	return &Error{Op: op, Object: "set", Code: code, Detail: detail}
}

// The dispatcher's side.

func (d *Dispatcher[T]) place() *node { return &d.node }

func (d *Dispatcher[T]) join(s *Set) error {
	d.mu.Lock()
	switch {
	case d.closed:
		d.mu.Unlock()
		return d.fail(ErrClosed, "add to set", detailClosed)
	case d.node.set == s:
		d.mu.Unlock()
		return nil
	case d.node.set != nil:
		d.mu.Unlock()
		return d.fail(ErrInUse, "add to set", "it is in another set: remove it there first")
	}
	if !s.enlist(&d.node) {
		d.mu.Unlock()
		return s.fail(ErrClosed, "add", detailClosed)
	}
	d.node.set = s
	d.regate()
	if d.queued() > 0 {
		d.raise()
	}
	d.mu.Unlock()
	d.watch()
	return nil
}

func (d *Dispatcher[T]) leave(s *Set) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.node.set != s {
		return d.fail(ErrInvalid, "remove from set", "it is not in this set")
	}
	d.leaveLocked(false)
	d.regate()
	return nil
}

// leaveLocked leaves whatever set it is in. Caller holds mu.
func (d *Dispatcher[T]) leaveLocked(closing bool) {
	if s := d.node.set; s != nil {
		s.strike(&d.node, closing)
		d.node.set = nil
	}
}
