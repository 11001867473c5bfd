package core

import (
	"fmt"
	"sync"
	"sync/atomic"

	"github.com/godapl/godapl/internal/hca"
	"github.com/godapl/godapl/internal/hca/park"
	"github.com/godapl/godapl/internal/hca/room"
	"github.com/godapl/godapl/internal/hca/soft/conns"
	"github.com/godapl/godapl/internal/hca/soft/gate"
	"github.com/godapl/godapl/internal/hca/soft/progress"
)

// CQ is a completion queue: a ring that producers fill under a lock and one consumer empties without one. If
// only one half of one queue pair fills the queue, it needs no lock: that half's gate admits one at a time.
type CQ struct {
	adapter *Adapter
	notify  func()
	hasMore func(together bool) hca.Backlog // CQConfig.Backlog
	running *atomic.Bool                    // CQConfig.Running
	most    int                             // CQConfig.Room
	depth   atomic.Int64
	last    atomic.Int64 // entries of the largest ring: see grow; written under mu
	room    *room.Pool

	tailRing *ring                // where producers write; guarded by push, or owned by the only producer
	headRing atomic.Pointer[ring] // where the consumer reads; set by the consumer

	shared        atomic.Bool   // more than one producer: use push
	settled       atomic.Bool   // and no entry is being made without it
	armed         atomic.Uint32 // see cq_wake.go
	armedUnpolled atomic.Bool   // armed, and not polled since
	noWaiter      atomic.Bool   // perhaps armed, but nobody waits: see DisarmDescriptors
	returns       atomic.Bool   // armed or not, the consumer will soon park again: see Depart
	_             [64]byte      // each empty poll writes the next fields
	polling       atomic.Uint32
	PollCount     atomic.Uint64 // calls of Poll; written by the consumer
	counts        cqCounts
	_             [64]byte
	dead          atomic.Bool // overflowed, and no queue pair has joined since
	overflows     atomic.Uint64
	closed        atomic.Bool
	conns         conns.List[Polled]
	coalescing    coalescing
	nextCon       int // the consumer's
	busyCon       int // the latest one of which a poll has brought something; the consumer's
	consumer      progress.Consumer
	park          park.Park // see cq_park.go
	parked        *parking  // the park's owner's; nil until there is one
	leader        progress.Leader
	fdsArmed      bool // a thread outside of Go sleeps on descriptors and owns the park; that thread's
	_             [64]byte
	push          gate.SpinLock // each entry writes this
	_             [56]byte

	mu    sync.Mutex
	refs  int // halves of queue pairs that fill the queue
	users map[*QP]int
	gone  bool

	arms, wakes atomic.Uint64
}

func (a *Adapter) NewCQ(cfg hca.CQConfig) (hca.CQ, error) {
	const op = "new completion queue"
	if cfg.Depth <= 0 || cfg.Depth > a.Attrs.MaxCQE {
		return nil, hca.NewError(hca.Invalid, op, "", fmt.Sprintf("depth %d is not in 1..%d", cfg.Depth, a.Attrs.MaxCQE))
	}
	c := &CQ{adapter: a, notify: cfg.Notify, hasMore: cfg.Backlog, users: make(map[*QP]int), most: cfg.Room}
	if c.notify == nil {
		c.notify = func() {}
	}
	if c.running = cfg.Running; c.running == nil {
		c.running = new(atomic.Bool)
		c.running.Store(cfg.Backlog != nil)
	}
	if c.hasMore == nil {
		c.hasMore = func(bool) hca.Backlog { return hca.BacklogNone }
	}
	c.coalescing.cq = c
	c.depth.Store(int64(cfg.Depth))
	c.room = room.NewPool(max(cfg.Depth, cfg.Room))
	c.last.Store(int64(max(cfg.Depth, cfg.Room)))
	c.tailRing = newRing(cfg.Depth)
	c.headRing.Store(c.tailRing)
	if err := a.Track(op, c); err != nil {
		return nil, err
	}
	return c, nil
}

// overflow drops the entry, reports that, and breaks the connections that use the queue.
func (c *CQ) overflow() {
	if c.dead.CompareAndSwap(false, true) {
		c.overflows.Add(1)
		c.adapter.Engine.Do(c.overflowed)
	}
}

func (c *CQ) overflowed() {
	c.mu.Lock()
	users := make([]*QP, 0, len(c.users))
	for q := range c.users {
		users = append(users, q)
	}
	c.mu.Unlock()
	err := hca.NewError(hca.Overflow, "complete", "completion queue",
		fmt.Sprintf("more than %d entries were waiting and some were lost: make the queue as deep as all the queues that feed it together, or poll sooner", c.depth.Load()))
	c.adapter.Async(hca.AsyncEvent{Kind: hca.AsyncCQOverflow, Object: hca.CQ(c), Err: err})
	for _, q := range users {
		q.End(hca.EventBroken, err)
	}
}

func (c *CQ) Depth() int { return int(c.depth.Load()) }

func (c *CQ) Resize(depth int) error {
	const op = "resize"
	if depth <= 0 || depth > c.adapter.Attrs.MaxCQE {
		return hca.NewError(hca.Invalid, op, "completion queue", fmt.Sprintf("depth %d is not in 1..%d", depth, c.adapter.Attrs.MaxCQE))
	}
	c.share()
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.gone {
		return hca.NewError(hca.Closed, op, "completion queue", "the queue has been closed")
	}
	// Rings may grow before posts may count on that, and posts no longer count on it before rings may not.
	size, former := max(depth, c.most), c.last.Load()
	c.last.Store(max(former, int64(size)))
	// The pool is asked without push, because it asks receive queues, under whose locks entries are made.
	fits, next := c.room.Resize(size), newRing(depth)
	c.push.Lock()
	waiting := 0 // counted while nothing comes
	for r := c.headRing.Load(); r != nil; r = r.next.Load() {
		waiting += int(r.tail.Load() - r.head.Load())
	}
	if fits && waiting <= depth {
		c.depth.Store(int64(depth))
		c.last.Store(int64(size))
		c.tailRing.next.Store(next)
		c.tailRing = next
		c.push.Unlock()
		return nil
	}
	c.push.Unlock()
	if !fits || c.room.Resize(max(c.Depth(), c.most)) {
		c.last.Store(former)
	}
	return hca.NewError(hca.State, op, "completion queue", hca.CountIs(waiting, "completion")+" waiting, and requests are under way: take what is there first")
}

// share makes producers use the lock from now on. When it returns, no push without the lock is under way.
// Callers are inside no gate.
func (c *CQ) share() { c.shareExcept(nil) }

// shareExcept is share for a caller inside the gates of one queue pair, which has left the queue or is about to:
// one gate, or both at the end of a shared-memory connection. The receives are flushed by then, so only the
// caller pushes from inside these gates, and nobody pushes for this queue pair from inside its peer's: the peer may be
// here at the same time. Goroutines inside other gates never wait for these.
func (c *CQ) shareExcept(own *QP) {
	if c.settled.Load() {
		return
	}
	c.mu.Lock()
	c.shared.Store(true)
	var inside []gate.Stay
	for q := range c.users {
		if q == own {
			continue
		}
		for _, g := range q.gates() {
			if g == nil || own != nil && own.hasGate(g) {
				continue
			}
			if t, held := gate.Watch(g); held {
				inside = append(inside, t)
			}
		}
	}
	c.mu.Unlock() // a goroutine inside a gate may need it
	for _, t := range inside {
		t.Wait()
	}
	c.settled.Store(true)
}

// attach adds a producer: one half of a queue pair.
func (c *CQ) attach(q *QP) error {
	c.mu.Lock()
	if c.gone {
		c.mu.Unlock()
		return hca.NewError(hca.Closed, "new endpoint", "completion queue", "the queue has been closed")
	}
	c.refs++
	c.dead.Store(false) // the overflow has broken the others, and not this one
	alone := c.refs == 1
	c.users[q]++
	c.mu.Unlock()
	if !alone {
		c.share()
	}
	return nil
}

func (c *CQ) detach(q *QP) {
	c.mu.Lock()
	c.refs--
	if c.users[q]--; c.users[q] == 0 {
		delete(c.users, q)
	}
	c.mu.Unlock()
}

func (c *CQ) AddConn(tc Polled) {
	c.conns.Add(tc)
	c.adapter.connected.Note(c, c.connected)
}

func (c *CQ) RemoveConn(tc Polled) {
	c.coalescing.Forget(tc)
	c.conns.Remove(tc)
	c.adapter.connected.Note(c, c.connected)
}

func (c *CQ) connected() bool { return c.conns.Load() != nil }

func (c *CQ) Close() error {
	c.mu.Lock()
	if c.refs > 0 {
		c.mu.Unlock()
		return hca.NewError(hca.InUse, "close", "completion queue", "endpoints still use it: close them first")
	}
	if !c.gone {
		c.gone = true
		c.closed.Store(true)
		c.adapter.Untrack(c)
	}
	c.mu.Unlock()
	c.park.Close()
	return nil
}
