package event

import (
	"sync"
	"sync/atomic"

	"github.com/godapl/godapl/internal/wait"
	"github.com/godapl/godapl/rdma/status"
)

// Member is a member of a set: a *Dispatcher of any type. Compare members with ==, also with
// the dispatcher itself:
//
//	switch ready {
//	case recvs: …
//	case sends: …
//	}
type Member interface {
	// Name is [Config].Name of the dispatcher.
	Name() string

	join(*Set) error
	leave(*Set) error
	place() *node
	joint() jointParker
	tally() (queued, room int)
	armForSet() error
	watch()
	enterOutside(s *SetSleeper, fds *[]int32)
	disarmDescriptors(sleeper any, alone bool)
	pull()
}

// node is a dispatcher's place in a set.
type node struct {
	member Member
	set    *Set // guarded by the dispatcher's mu
	// listed: the dispatcher is on the ready list. Written under the set's mu; read without it
	// to skip work.
	listed     atomic.Bool
	direct     atomic.Bool // a goroutine waits for the dispatcher itself
	prev, next *node       // on the ready list; guarded by the set's mu
}

// Set waits for many dispatchers (uDAPL: CNO). It keeps a list of the ready dispatchers, each
// listed once; a wait takes the first. Members without events cost nothing.
//
// An event that is not quiet puts its dispatcher on the list, unless the dispatcher is
// disabled or a goroutine waits on it directly. A trigger is sticky: it stays until a wait
// returns the dispatcher or the dispatcher is drained. One waiter is woken per trigger. The
// result of a wait is a hint: another goroutine may have drained the dispatcher meanwhile. A
// dispatcher that was returned and not polled is returned again when another event arrives. A
// dispatcher that was polled and has events left goes to the end of the list. So take one
// batch, and wait again:
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
// This misses no event, and no dispatcher starves the others. Polling one dispatcher until it
// returns 0 can starve them: while events arrive as fast as they are handled, the loop does
// not end, and the completions of the program's own requests accumulate in another dispatcher.
//
// A returned dispatcher that has sources must be polled: a poll that finds nothing arms the
// sources.
type Set struct {
	// mu guards all fields below. It is taken under a dispatcher's mu, so code that holds it
	// must not lock a dispatcher.
	mu          sync.Mutex
	first, last *node // the ready list
	members     map[*node]struct{}
	closed      bool
	// orphaned counts how often the last member was closed; renewed is its value when a member
	// was last added.
	orphaned, renewed uint64
	waiters           waiterList
	counters          []*counter   // callers of WaitThreshold
	counting          atomic.Int32 // len(counters)
	adding            int          // calls of Add: what the members hold together is not known yet
	spareCounter      *counter
	spare             *setWaiter // free list of waiters
	face              *setFace
	visits            uint64 // list entries visited, for a test
	// notify is called by the next trigger, on a goroutine that calls counts.
	notify func(Member)
	calls  sync.WaitGroup
	poll   *readiness // nil until Descriptor is called
	parks  setParks
}

// NewSet creates an empty set (uDAPL: dat_cno_create).
func NewSet() *Set { return &Set{members: make(map[*node]struct{})} }

// Add adds dispatchers to the set. Events that they have queued count as just arrived. A
// dispatcher is in one set at a time: ErrInUse if it is in another; adding it twice is
// harmless. ErrClosed if it or the set is closed. On an error the preceding arguments have
// been added.
func (s *Set) Add(members ...Member) error {
	s.add(1)
	defer s.add(-1)
	for _, m := range members {
		if m == nil {
			return s.fail(ErrInvalid, "add", "there is no dispatcher")
		}
		if err := m.join(s); err != nil {
			return err
		}
		s.grown(m)
	}
	return nil
}

// Remove removes dispatchers from the set. It does not affect a wait that has already
// returned. ErrInvalid if a dispatcher is not in the set; the preceding arguments have been
// removed.
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

// Len is the number of dispatchers in the set.
func (s *Set) Len() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.members)
}

// Close ends the set (uDAPL: dat_cno_free). Waits return ErrClosed. The channel is closed, and
// its goroutine has ended when Close returns. The dispatchers stay as they are and belong to
// no set. Closing twice is harmless.
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
		m.leave(s) // an error means that a concurrent call has removed it
	}
	s.StopChan()
	s.calls.Wait()
	s.mu.Lock()
	if s.poll != nil {
		s.poll.close()
		s.poll = nil
	}
	for w := s.spare; w != nil; w = w.next {
		w.cell.Forget()
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
	d.updateGate()
	if d.queued() > 0 {
		d.markReady()
	}
	d.mu.Unlock()
	d.watch()
	return nil
}

func (d *Dispatcher[T]) leave(s *Set) error {
	d.mu.Lock()
	if d.node.set != s {
		d.mu.Unlock()
		return d.fail(ErrInvalid, "remove from set", "it is not in this set")
	}
	d.leaveLocked(false)
	d.updateGate()
	j, _ := d.parker.(wait.Joint)
	d.mu.Unlock()
	if j != nil {
		j.Elsewhere() // a waiter of the set may have said that it would be back
	}
	return nil
}

// leaveLocked removes the dispatcher from its set, if it has one. The caller holds mu.
func (d *Dispatcher[T]) leaveLocked(closing bool) {
	if s := d.node.set; s != nil {
		s.strike(&d.node, closing)
		d.node.set = nil
	}
}
