package core

import (
	"sync/atomic"

	"github.com/godapl/godapl/internal/hca"
	"github.com/godapl/godapl/internal/hca/soft/gate"
)

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
	back *gate.Tally
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
func (c *CQ) grow(r *ring) *ring {
	if r.most >= r.last {
		return nil
	}
	next := newRing(int(min(2*r.most, r.last)), int(r.last))
	c.tailRing = next
	r.next.Store(next)
	return next
}

// begin gives the slot of the next entry, which the caller fills in, whole, and
// commits. It is nil, and there is nothing to commit, if the queue is full, which
// begin reports. Consumers that are armed are notified by the caller once it
// holds nothing: see after.
//
// The entry is filled in where it will be taken from: a copy of what was stored
// field by field just before makes the processor wait.
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

// full looks where the consumer is now.
func (c *CQ) full(r *ring, t uint64) bool {
	r.seen = r.head.Load()
	return t-r.seen >= r.most
}

// commit publishes the entry, with an ordinary store where the processor keeps
// stores in order. That the consumer is not asleep is looked at behind the next
// full barrier, which is the gate's release, or UnlockFenced where there is no gate.
func (c *CQ) commit(locked bool) {
	r := c.tailRing
	gate.StoreRelease(&r.tail, r.tail.Load()+1)
	if locked {
		c.push.Unlock()
	}
}

// take moves entries out. Slots of the queues they came from come back here,
// once per run of entries of the same queue, and not before the entries' own
// slots have: whoever posts on the strength of the one finds room in the other.
func (c *CQ) take(dst []hca.WC) int {
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
		gate.StoreRelease(&r.head, h)
		back.Add(i - run)
	}
	if n < len(dst) && r.next.Load() != nil {
		n += c.take(dst[n:])
	}
	return n
}
