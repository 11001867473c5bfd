package shm

import (
	"fmt"
	"sync/atomic"

	"github.com/godapl/godapl/internal/fence"
)

// A Consumer is the reading end of a ring, for one goroutine at a time. It trusts
// nothing that it reads: a stamp is read once and checked, and data is copied out, at
// most one slot of it, before it is interpreted.
type Consumer struct {
	geometry
	head     uint64 // entries consumed
	released uint64 // entries given back to the producer

	// The next slot: its stamp, a word of its second cache line, and the number in the
	// stamp while the slot is empty. They are kept because a poller loads them
	// repeatedly.
	due, more *atomic.Uint64
	before    uint32
}

// NewConsumer is the reading end of a new ring, which lies at the start of mem. No entry has
// been read from it; the producer may have written some.
func NewConsumer(mem []byte, c RingConfig) (*Consumer, error) {
	r := &Consumer{}
	if err := r.init("open ring", mem, c); err != nil {
		return nil, err
	}
	r.loadDueSlot()
	return r, nil
}

// loadDueSlot locates the next slot.
func (c *Consumer) loadDueSlot() {
	c.due, c.more, c.before = c.stamp(c.head), c.second(c.head), 0
	if c.head > c.mask {
		c.before = uint32(c.head - c.mask)
	}
}

// Ready reports whether Pop would return an entry or an error. It also loads a word of
// the slot's second cache line, so that both lines of a new entry arrive together.
func (c *Consumer) Ready() bool {
	s := c.due.Load()
	c.more.Load()
	return uint32(s) != c.before
}

// Pop copies the data of the oldest entry to b, which must have room for
// RingConfig.Room bytes, and removes the entry. It returns false if the ring is empty,
// and ErrCorrupt if no producer could have written what the slot holds; then the ring
// must not be used again.
func (c *Consumer) Pop(b []byte) (e Entry, ok bool, err error) {
	s := c.due.Load() // load once, so that the checked value is the used value
	if uint32(s) != uint32(c.head+1) {
		if uint32(s) == c.before {
			return Entry{}, false, nil
		}
		return Entry{}, false, c.corrupt(s)
	}
	data := c.data(c.head)
	e = unstamp(s)
	if e.Len > len(data) {
		return Entry{}, false, c.corrupt(s)
	}
	if e.Len > len(b) {
		return Entry{}, false, fail("read from ring", ErrInvalid, fmt.Sprintf("%d bytes for an entry of %d", len(b), e.Len), nil)
	}
	copy(b, data[:e.Len])
	c.Skip()
	return e, true, nil
}

// Peek returns the entry that Pop would return next, with its data in place: in shared
// memory, where the peer may change it at any time. So the data may be copied but not
// interpreted. It returns false if the ring is empty or Pop would fail.
func (c *Consumer) Peek() (e Entry, data []byte, ok bool) {
	s := c.due.Load() // load once, as in Pop
	if uint32(s) != uint32(c.head+1) {
		return Entry{}, nil, false
	}
	data = c.data(c.head)
	if e = unstamp(s); e.Len > len(data) {
		return Entry{}, nil, false
	}
	return e, data[:e.Len], true
}

// Skip removes the entry that Peek has returned.
func (c *Consumer) Skip() {
	c.head++
	c.loadDueSlot()
}

// Release gives the slots of all popped entries back to the producer. One call for
// several entries is cheaper; one call per quarter of the ring keeps the producer
// running.
func (c *Consumer) Release() { c.ReleaseTo(c.head) }

// ReleaseTo is Release for the first n entries since the start; n counts popped entries
// only.
func (c *Consumer) ReleaseTo(n uint64) {
	if n != c.released {
		fence.StoreRelease(c.geometry.head, n)
		c.released = n
	}
}

// ReleaseConcurrently is ReleaseTo for a goroutine other than the consumer's, concurrently with it.
// Entry n has been popped.
func (c *Consumer) ReleaseConcurrently(n uint64) {
	for {
		h := c.geometry.head.Load()
		if int64(n-h) <= 0 || c.geometry.head.CompareAndSwap(h, n) {
			return
		}
	}
}

// Popped returns the number of entries popped since the start.
func (c *Consumer) Popped() uint64 { return c.head }

// Released returns how many of these Release and ReleaseTo have given back.
func (c *Consumer) Released() uint64 { return c.released }

// Unreleased returns how many entries were popped since Release.
func (c *Consumer) Unreleased() int { return int(c.head - c.released) }

func (c *Consumer) corrupt(s uint64) error {
	return fail("read from ring", ErrCorrupt, fmt.Sprintf("entry %d has the stamp %#x", c.head, s), nil)
}
