package rdma

import (
	"slices"
	"sync"
	"sync/atomic"

	"github.com/godapl/godapl/internal/hca"
	"github.com/godapl/godapl/rdma/event"
)

// Binds that complete in a separate queue (BindCQ). The adapter has one queue for all requests
// of an endpoint, the leader. A drain of the leader forwards binds to the follower. To make
// sure that the leader is drained, a drain of the follower drains the leader first, and an
// entry in the leader wakes the waiters of the follower. While the leader's dispatcher is full, the
// follower drains it at intervals: see roomLooks.

// binds is the state of a completion queue for that.
type binds struct {
	followers queueList // where binds that are posted here complete
	leaders   queueList // where binds that complete here are posted
	once      sync.Mutex
	attached  bool      // guarded by once: the following source
	room      roomLooks // of a follower
}

// queueList is a list of queues with a reference count for each.
type queueList struct {
	all atomic.Pointer[[]*CompletionQueue] // nil: none; a published slice is immutable

	// Guarded by followOrder.
	needs map[*CompletionQueue]int
}

// followOrder serializes changes of the leader and follower relations.
var followOrder sync.Mutex

// add adds n to the reference count of a queue. The caller holds followOrder.
func (l *queueList) add(q *CompletionQueue, n int) {
	if l.needs == nil {
		l.needs = map[*CompletionQueue]int{}
	}
	if l.needs[q] += n; l.needs[q] == 0 {
		delete(l.needs, q)
	}
	if len(l.needs) == 0 {
		l.all.Store(nil)
		return
	}
	var all []*CompletionQueue
	for q := range l.needs {
		all = append(all, q)
	}
	l.all.Store(&all)
}

// list returns the present queues.
func (l *queueList) list() []*CompletionQueue {
	if all := l.all.Load(); all != nil {
		return *all
	}
	return nil
}

// wake wakes the waiters of the queues.
func (l *queueList) wake() {
	for _, q := range l.list() {
		q.wakeUp()
	}
}

// prepareBinds makes BindCQ a follower. Locks of endpoints must not be
// held: it may wait for a drain.
func (c *EndpointConfig) prepareBinds() error {
	q := c.BindCQ
	switch {
	case q == nil:
		return nil
	case q == c.SendCQ:
		return hca.NewError(hca.Invalid, "", "", "BindCQ is SendCQ; leave BindCQ nil for that")
	}
	q.binds.once.Lock()
	defer q.binds.once.Unlock()
	if q.binds.attached {
		return nil
	}
	if err := q.follow(); err != nil {
		return err
	}
	q.binds.attached = true
	return nil
}

// followBinds forwards the binds of one more endpoint from leader to q. A queue cannot be
// leader and follower: two queues that follow each other would drain each other without end.
func followBinds(q, leader *CompletionQueue) error {
	followOrder.Lock()
	defer followOrder.Unlock()
	if len(q.binds.followers.needs) > 0 || len(leader.binds.leaders.needs) > 0 {
		return hca.NewError(hca.Invalid, "", "",
			"a queue is BindCQ of one endpoint and SendCQ of another that has a BindCQ; take two queues")
	}
	if err := q.hold(); err != nil {
		return err
	}
	leader.binds.followers.add(q, 1)
	q.binds.leaders.add(leader, 1)
	// A waiter that has armed q's sources before this has not armed the new leader.
	if err := leader.cq.Arm(); err != nil {
		q.adapter.log.Error("rdma: arm completion queue", "err", err)
		q.wakeUp() // the waiter arms again and gets the error
	}
	return nil
}

// unfollowBinds is the opposite.
func unfollowBinds(q, leader *CompletionQueue) {
	followOrder.Lock()
	defer followOrder.Unlock()
	leader.binds.followers.add(q, -1)
	q.binds.leaders.add(leader, -1)
	q.drop()
}

// followingSource is a follower's second source: the binds from its leaders.
type followingSource[T any] struct {
	q   *CompletionQueue
	src event.Source[T] // the first
}

// Drain implements event.Source.
func (s *followingSource[T]) Drain(dst []T) (n int, signalled bool) {
	s.q.pumpLeaders()
	return s.src.Drain(dst) // which may have been looked at before
}

// Arm implements event.Source.
func (s *followingSource[T]) Arm() error {
	for _, l := range s.q.binds.leaders.list() {
		if err := l.cq.Arm(); err != nil && slices.Contains(s.q.binds.leaders.list(), l) {
			return err // else its endpoint has gone, and the queue with it
		}
	}
	return nil
}
