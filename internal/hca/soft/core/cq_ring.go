package core

import (
	"sync/atomic"

	"github.com/godapl/godapl/internal/hca"
	"github.com/godapl/godapl/internal/hca/soft/gate"
)

// A ring is one section of the queue. A resize appends a new ring to the old one, and so does a queue that
// outgrows its ring; the consumer moves on when the old ring is empty.
type ring struct {
	slots []entry
	mask  uint64
	most  uint64        // entries in it at most; no more than slots
	past  uint64        // entries taken from former rings; set before it is headRing
	_     [64]byte      // the two ends are on cache lines of their own
	head  atomic.Uint64 // written by the consumer
	_     [64]byte
	tail  atomic.Uint64 // written by the producer
	seen  uint64        // head, as the producer last read it; guarded like tailRing
	_     [56]byte
	next  atomic.Pointer[ring]
}

// An entry records the queue of its request, which gets a slot back when the consumer has taken the entry.
type entry struct {
	wc   hca.WC
	back *gate.Tally
}

// firstRing is how many entries a queue has memory for at first. A queue of many endpoints is deep, and
// almost always almost empty.
const firstRing = 256

// newRing makes a ring of depth entries, or of as many as a queue has memory for at first.
func newRing(depth int) *ring { return ringOf(min(depth, firstRing)) }

func ringOf(depth int) *ring {
	n := 1
	for n < depth {
		n <<= 1
	}
	return &ring{slots: make([]entry, n), mask: uint64(n - 1), most: uint64(depth)}
}

// grow appends a larger ring to a full one, and returns it; nil if the queue has its largest size. The caller
// is the producer.
func (c *CQ) grow(r *ring) *ring {
	last := uint64(c.last.Load())
	if r.most >= last {
		return nil
	}
	next := ringOf(int(min(2*r.most, last)))
	c.tailRing = next
	r.next.Store(next)
	return next
}

// stretch makes room for a queue pair that has just joined. Others may have borrowed what is promised to it, and their
// entries stay until the consumer takes them.
func (c *CQ) stretch() {
	n := c.room.Overdrawn()
	if n <= 0 {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.last.Store(max(c.last.Load(), c.depth.Load()+int64(n), int64(c.most+n)))
}

// begin reserves the next entry, which the caller fills in completely and commits. It returns nil if the queue
// is full; then there is nothing to commit. The caller wakes an armed consumer once it is inside no gate and
// holds no lock: see Deferred.
//
// The entry is filled in place: copying a struct right after its fields were stored makes the processor wait
// for the stores.
func (c *CQ) begin() (e *entry, locked bool) {
	if locked = c.shared.Load(); locked {
		c.push.Lock()
	}
	r := c.tailRing
	t := r.tail.Load()
	if t-r.seen >= r.most && c.full(r, t) {
		if r = c.grow(r); r == nil {
			if locked {
				c.push.Unlock()
			}
			c.overflow()
			return nil, false
		}
		t = 0
	}
	return &r.slots[t&r.mask], locked
}

// full reads the consumer's position and reports whether the ring is full.
func (c *CQ) full(r *ring, t uint64) bool {
	r.seen = r.head.Load()
	return t-r.seen >= r.most
}

// commit publishes the entry, with an ordinary store where the processor keeps stores in order. Whether the
// consumer sleeps is checked after the next full barrier: the one in the gate's Leave, or UnlockFenced where
// there is no gate.
func (c *CQ) commit(locked bool) {
	r := c.tailRing
	gate.StoreRelease(&r.tail, r.tail.Load()+1)
	if locked {
		c.push.Unlock()
	}
}

// take moves entries out. It frees the queue's own slots first and then the slots of the work queues, once per
// run of entries of the same queue: a poster that sees a free work-queue slot also finds room here.
func (c *CQ) take(dst []hca.WC) int {
	r := c.headRing.Load()
	h, t := r.head.Load(), r.tail.Load()
	if h == t {
		next := r.next.Load()
		if next == nil {
			return 0
		}
		if t = r.tail.Load(); h == t { // nothing comes into this ring any more
			next.past = r.past + h
			c.headRing.Store(next)
			return c.take(dst)
		}
	}
	if t-h > c.counts.high.Load() {
		gate.StoreRelease(&c.counts.high, t-h)
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
		gate.StoreRelease(&r.head, h)
		back.Add(i - run)
	}
	if n < len(dst) && r.next.Load() != nil {
		n += c.take(dst[n:])
	}
	return n
}
