package soft

import (
	"fmt"
	"sync"
	"sync/atomic"

	"github.com/godapl/godapl/internal/hca"
	"github.com/godapl/godapl/internal/hca/room"
)

// cq is a completion queue: a ring that producers fill under a lock and one
// consumer empties without one. A queue that a single side of a queue pair fills needs
// no lock at all, since that side's gate already lets one goroutine in at a time.
type cq struct {
	a      *adapter
	notify func()
	most   int // CQConfig.Room
	depth  atomic.Int64
	room   *room.Pool

	tailRing *ring                // where producers write; guarded by push, or by the one producer
	headRing atomic.Pointer[ring] // where the consumer reads; set by the consumer

	shared   atomic.Bool // more than one producer: use push
	armed    atomic.Bool
	fresh    atomic.Bool // armed, and not polled since
	_        [64]byte    // each empty poll writes this
	polling  atomic.Uint32
	looks    atomic.Uint64 // calls of Poll; written by the consumer
	_        [64]byte
	dead     atomic.Bool // overflowed
	closed   atomic.Bool
	conns    atomic.Pointer[[]polled]
	nextCon  int // the consumer's
	consumer consumer
	_        [64]byte
	push     latch // each entry writes this
	_        [56]byte

	mu    sync.Mutex
	refs  int // sides of queue pairs that push
	users map[*qp]int
	gone  bool
}

// A ring is one stretch of the queue. Resizing hangs a new one behind the old, and so
// does a queue that is to hold more than its ring; the consumer moves on when the old
// one is empty.
type ring struct {
	slots []entry
	mask  uint64
	most  uint64        // entries in it; no more than slots
	last  uint64        // entries that the last ring has: see grow
	_     [64]byte      // the two ends are on cache lines of their own
	head  atomic.Uint64 // written by the consumer
	_     [64]byte
	tail  atomic.Uint64 // written by the producer
	seen  uint64        // head, as the producer last saw it; guarded as tailRing is
	_     [56]byte
	next  atomic.Pointer[ring]
}

// An entry remembers which queue the request came from, whose slot comes back
// when the consumer has seen the entry.
type entry struct {
	wc   hca.WC
	back *tally
}

// newRing makes a ring for depth entries, from which the queue may grow to last.
func newRing(depth, last int) *ring {
	n := 1
	for n < depth {
		n <<= 1
	}
	return &ring{slots: make([]entry, n), mask: uint64(n - 1), most: uint64(depth), last: uint64(max(depth, last))}
}

// grow hangs a larger ring behind one that is full, and returns it; nil if the queue is
// as large as it may be. The caller is the producer.
func (c *cq) grow(r *ring) *ring {
	if r.most >= r.last {
		return nil
	}
	next := newRing(int(min(2*r.most, r.last)), int(r.last))
	c.tailRing = next
	r.next.Store(next)
	return next
}

func (a *adapter) NewCQ(cfg hca.CQConfig) (hca.CQ, error) {
	const op = "new completion queue"
	if cfg.Depth <= 0 || cfg.Depth > a.attr.MaxCQE {
		return nil, hca.NewError(hca.Invalid, op, "", fmt.Sprintf("depth %d is not in 1..%d", cfg.Depth, a.attr.MaxCQE))
	}
	c := &cq{a: a, notify: cfg.Notify, users: make(map[*qp]int), most: cfg.Room}
	if c.notify == nil {
		c.notify = func() {}
	}
	c.depth.Store(int64(cfg.Depth))
	c.room = room.NewPool(max(cfg.Depth, cfg.Room))
	c.tailRing = newRing(cfg.Depth, cfg.Room)
	c.headRing.Store(c.tailRing)
	if err := a.track(op, c); err != nil {
		return nil, err
	}
	return c, nil
}

// begin gives the slot of the next entry, which the caller fills in, whole, and
// commits. It is nil, and there is nothing to commit, if the queue is full, which
// begin reports. Consumers that are armed are notified by the caller once it
// holds nothing: see after.
//
// The entry is filled in where it will be taken from: a copy of what was stored
// field by field just before makes the processor wait.
func (c *cq) begin() (e *entry, locked bool) {
	if locked = c.shared.Load(); locked {
		c.push.lock()
	}
	r := c.tailRing
	t := r.tail.Load()
	if t-r.seen >= r.most && c.full(r, t) {
		if r = c.grow(r); r == nil {
			if locked {
				c.push.unlock()
			}
			c.overflow()
			return nil, false
		}
		t = 0
	}
	return &r.slots[t&r.mask], locked
}

// full looks where the consumer is now.
func (c *cq) full(r *ring, t uint64) bool {
	r.seen = r.head.Load()
	return t-r.seen >= r.most
}

// commit publishes the entry, with an ordinary store where the processor keeps
// stores in order. That the consumer is not asleep is looked at behind the next
// full barrier, which is the gate's release, or unlockFenced where there is no gate.
func (c *cq) commit(locked bool) {
	r := c.tailRing
	storeRelease(&r.tail, r.tail.Load()+1)
	if locked {
		c.push.unlock()
	}
}

// wake notifies the consumer if it has armed. A consumer that is in Poll finds
// the entry there, and is not called in the middle of it.
func (c *cq) wake() {
	if !c.armed.Load() || !c.armed.CompareAndSwap(true, false) {
		return
	}
	for {
		switch c.polling.Load() {
		case pollNone:
			c.notify()
			return
		case pollBusy:
			if c.polling.CompareAndSwap(pollBusy, pollAgain) {
				return
			}
		default:
			return
		}
	}
}

// overflow loses the entry, which breaks what it belongs to, loudly.
func (c *cq) overflow() {
	if c.dead.CompareAndSwap(false, true) {
		c.a.engine.do(c.overflowed)
	}
}

func (c *cq) overflowed() {
	c.mu.Lock()
	users := make([]*qp, 0, len(c.users))
	for q := range c.users {
		users = append(users, q)
	}
	c.mu.Unlock()
	err := hca.NewError(hca.Overflow, "complete", "completion queue",
		fmt.Sprintf("more than %d entries were waiting and some were lost: make the queue as deep as all the queues that feed it together, or poll sooner", c.depth.Load()))
	c.a.async(hca.AsyncEvent{Kind: hca.AsyncCQOverflow, Object: hca.CQ(c), Err: err})
	for _, q := range users {
		q.end(hca.EventBroken, err)
	}
}

func (c *cq) Poll(dst []hca.WC) int {
	if c.conns.Load() != nil { // they alone ask
		storeRelease(&c.looks, c.looks.Load()+1)
	}
	n := 0
	if !c.empty() {
		n = c.take(dst)
	}
	if n > 0 || len(dst) == 0 {
		return n
	}
	if c.fresh.Load() {
		// The look behind the arming, which has set progress going: the streams
		// tell what they have. To ask them here would cost a system call each.
		c.fresh.Store(false)
		return 0
	}
	if !c.armed.Load() { // nobody would be notified
		if c.progress(&dst[0]) {
			n = 1
			if c.empty() {
				return n
			}
		}
		return n + c.take(dst[n:])
	}
	c.polling.Store(pollBusy)
	c.progress(nil)
	for {
		n += c.take(dst[n:])
		if c.polling.CompareAndSwap(pollBusy, pollNone) {
			return n
		}
		c.polling.Store(pollBusy)
		c.armed.Store(true) // it was not used
	}
}

// Whether the consumer is in Poll, and whether something came meanwhile.
const (
	pollNone = iota
	pollBusy
	pollAgain
)

// take moves entries out. Slots of the queues they came from come back here,
// once per run of entries of the same queue, and not before the entries' own
// slots have: whoever posts on the strength of the one finds room in the other.
func (c *cq) take(dst []hca.WC) int {
	r := c.headRing.Load()
	h, t := r.head.Load(), r.tail.Load()
	if h == t {
		next := r.next.Load()
		if next == nil {
			return 0
		}
		if t = r.tail.Load(); h == t { // nothing comes in here any more
			c.headRing.Store(next)
			return c.take(dst)
		}
	}
	n := int(min(t-h, uint64(len(dst))))
	for i := 0; i < n; {
		back, run := r.slots[h&r.mask].back, i
		for i < n {
			e := &r.slots[h&r.mask]
			if e.back != back {
				break
			}
			dst[i] = e.wc
			e.wc.Owner, e.back = nil, nil
			i++
			h++
		}
		storeRelease(&r.head, h)
		back.add(i - run)
	}
	if n < len(dst) && r.next.Load() != nil {
		n += c.take(dst[n:])
	}
	return n
}

// Ready implements hca.Peeker.
func (c *cq) Ready() bool {
	for r := c.headRing.Load(); r != nil; r = r.next.Load() {
		if r.head.Load() != r.tail.Load() {
			return true
		}
	}
	return false
}

// progress does work that is waiting, on the caller's goroutine. If to is not nil, the
// completion of a message may come there instead of into the queue, which it reports: it
// is then the only one so far.
func (c *cq) progress(to *hca.WC) (one bool) {
	c.a.engine.help(&c.consumer)
	if p := c.conns.Load(); p != nil {
		// A few connections a call: with more, the engine helps anyway.
		list := *p
		if len(list) == 1 {
			return list[0].poll(c, to)
		}
		for range min(len(list), 4) {
			c.nextCon++
			list[c.nextCon%len(list)].poll(c, nil)
		}
	}
	return false
}

// direct tells whether an entry that is made now may be handed to the consumer who polls
// instead of being put in: it would be the oldest, and the only one. The caller polls, and
// is inside the gate through which alone entries come.
func (c *cq) direct() bool { return !c.shared.Load() && c.empty() }

// empty tells whether there is nothing to take. The caller is the consumer.
func (c *cq) empty() bool {
	r := c.headRing.Load()
	return r.head.Load() == r.tail.Load() && r.next.Load() == nil
}

func (c *cq) Arm() error {
	if c.closed.Load() {
		return hca.NewError(hca.Closed, "arm", "completion queue", "the queue has been closed")
	}
	c.fresh.Store(true)
	c.armed.Store(true)
	if p := c.conns.Load(); p != nil {
		for _, tc := range *p {
			tc.unpolled()
		}
	}
	return nil
}

// entered is how many entries have been put into the present ring.
func (c *cq) entered() uint64 { return c.tailRing.tail.Load() }

func (c *cq) Depth() int { return int(c.depth.Load()) }

func (c *cq) Resize(depth int) error {
	const op = "resize"
	if depth <= 0 || depth > c.a.attr.MaxCQE {
		return hca.NewError(hca.Invalid, op, "completion queue", fmt.Sprintf("depth %d is not in 1..%d", depth, c.a.attr.MaxCQE))
	}
	c.share()
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.gone {
		return hca.NewError(hca.Closed, op, "completion queue", "the queue has been closed")
	}
	next := newRing(depth, c.most)
	c.push.lock()
	defer c.push.unlock()
	waiting := 0
	for r := c.headRing.Load(); r != nil; r = r.next.Load() {
		waiting += int(r.tail.Load() - r.head.Load())
	}
	if waiting > depth {
		return hca.NewError(hca.State, op, "completion queue", hca.CountIs(int(waiting), "completion")+" waiting: take what is there first")
	}
	c.depth.Store(int64(depth))
	c.room.Resize(max(depth, c.most))
	c.tailRing.next.Store(next)
	c.tailRing = next
	return nil
}

// share makes producers use the lock from now on. When it returns, nobody is
// pushing without it. Callers hold no gate.
func (c *cq) share() { c.shareBut(nil) }

// shareBut is share for a caller that is inside the gates of one queue pair, which has
// left the queue or is about to: one gate, or both at the end of a connection over shared
// memory. Its receives are flushed by then, so nobody pushes from inside its gates but the
// caller. Goroutines inside other gates never wait for these.
func (c *cq) shareBut(own *qp) {
	c.mu.Lock()
	if c.shared.Swap(true) {
		c.mu.Unlock()
		return
	}
	var inside []stay
	for q := range c.users {
		for _, g := range q.gates() {
			if g == nil || own != nil && own.hasGate(g) {
				continue
			}
			if t, held := watch(g); held {
				inside = append(inside, t)
			}
		}
	}
	c.mu.Unlock() // who is inside may want it by now
	for _, t := range inside {
		t.wait()
	}
}

// attach adds a producer: one side of a queue pair.
func (c *cq) attach(q *qp) error {
	c.mu.Lock()
	if c.gone {
		c.mu.Unlock()
		return hca.NewError(hca.Closed, "new endpoint", "completion queue", "the queue has been closed")
	}
	c.refs++
	alone := c.refs == 1
	c.users[q]++
	c.mu.Unlock()
	if !alone {
		c.share()
	}
	return nil
}

func (c *cq) detach(q *qp) {
	c.mu.Lock()
	c.refs--
	if c.users[q]--; c.users[q] == 0 {
		delete(c.users, q)
	}
	c.mu.Unlock()
}

func (c *cq) addConn(tc polled) {
	c.mu.Lock()
	defer c.mu.Unlock()
	var list []polled
	if p := c.conns.Load(); p != nil {
		list = append(list, *p...)
	}
	list = append(list, tc)
	c.conns.Store(&list)
}

func (c *cq) removeConn(tc polled) {
	c.mu.Lock()
	defer c.mu.Unlock()
	p := c.conns.Load()
	if p == nil {
		return
	}
	var list []polled
	for _, x := range *p {
		if x != tc {
			list = append(list, x)
		}
	}
	if list == nil {
		c.conns.Store(nil)
		return
	}
	c.conns.Store(&list)
}

func (c *cq) Close() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.refs > 0 {
		return hca.NewError(hca.InUse, "close", "completion queue", "endpoints still use it: close them first")
	}
	if !c.gone {
		c.gone = true
		c.closed.Store(true)
		c.a.untrack(c)
	}
	return nil
}

// fetches tells whether the consumer polls, and looks at each connection.
func (c *cq) fetches() bool { return c.looks.Load() > 0 && !c.armed.Load() && c.few() }

// fewConns: with more connections of one queue not each is looked at often.
const fewConns = 4

// few tells whether whoever polls the queue looks at each of its connections.
func (c *cq) few() bool {
	p := c.conns.Load()
	return p == nil || len(*p) <= fewConns
}

// attended tells whether somebody polls for the requests, or, where nobody takes
// their entries, for the receives.
func (q *qp) attended() bool {
	if q.scq.looks.Load() > 0 {
		return !q.scq.armed.Load()
	}
	return q.rcq.looks.Load() > 0 && !q.rcq.armed.Load()
}
