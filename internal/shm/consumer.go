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
	released uint64 // of which the producer knows

	// The slot that is due next: its stamp, a word of its second cache line, and the
	// stamp's number while the slot is empty. They are kept because a poller loads them
	// repeatedly.
	due, more *atomic.Uint64
	before    uint32
}

// NewConsumer is the reading end of a ring that lies at the start of mem and is
// new: nothing was read from it before. The producer may have written already.
func NewConsumer(mem []byte, c RingConfig) (*Consumer, error) {
	r := &Consumer{}
	if err := r.init("open ring", mem, c); err != nil {
		return nil, err
	}
	r.look()
	return r, nil
}

// look finds the slot that is due.
func (c *Consumer) look() {
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
	s := c.due.Load() // once: the checked value is the used value
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
	s := c.due.Load() // once, as in Pop
	if uint32(s) != uint32(c.head+1) {
		return Entry{}, nil, false
	}
	data = c.data(c.head)
	if e = unstamp(s); e.Len > len(data) {
		return Entry{}, nil, false
	}
	return e, data[:e.Len], true
}

// Skip takes the entry off that Peek has shown.
func (c *Consumer) Skip() {
	c.head++
	c.look()
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

// Insist is ReleaseTo for a goroutine other than the consumer's, concurrently with it.
// Entry n has been popped.
func (c *Consumer) Insist(n uint64) {
	for {
		h := c.geometry.head.Load()
		if int64(n-h) <= 0 || c.geometry.head.CompareAndSwap(h, n) {
			return
		}
	}
}

// Popped is how many entries were popped since the start.
func (c *Consumer) Popped() uint64 { return c.head }

// Released is how many of these were given back by Release and ReleaseTo.
func (c *Consumer) Released() uint64 { return c.released }

// Unreleased is how many entries were popped since Release.
func (c *Consumer) Unreleased() int { return int(c.head - c.released) }

func (c *Consumer) corrupt(s uint64) error {
	return fail("read from ring", ErrCorrupt, fmt.Sprintf("entry %d has the stamp %#x", c.head, s), nil)
}
