package shm

import (
	"fmt"
	"sync/atomic"

	"github.com/godapl/godapl/internal/fence"
)

// A Consumer is the reading end of a ring. One goroutine at a time.
// Nothing it reads is believed: a stamp is read once and checked, and data is
// copied out, at most a slot of it, before anybody looks at it.
type Consumer struct {
	geometry
	head     uint64 // entries consumed
	released uint64 // of which the producer knows

	// Of the slot that is due, as it is looked at again and again: its stamp, a word of its
	// second cache line, and the number that the stamp has as long as nothing has come.
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

// Ready is whether Pop would give something, or an error. Who asks again and again has
// the second cache line of the slot come together with the first, and not after it.
func (c *Consumer) Ready() bool {
	s := c.due.Load()
	c.more.Load()
	return uint32(s) != c.before
}

// Pop copies the data of the oldest entry to b, which has room for
// RingConfig.Room, and takes the entry off. It reports false if there is none.
// ErrCorrupt if no producer could have written what is there: the ring is then not
// to be used again.
func (c *Consumer) Pop(b []byte) (e Entry, ok bool, err error) {
	s := c.due.Load() // once: what is checked is what is used
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

// Peek is what Pop would take off next, with the data where it lies: in shared memory,
// where the peer may change it at any time, so it is for moving and not for looking at. It
// reports false if there is nothing, or what Pop has an error for.
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

// Release gives the slots of what was popped back to the producer. Once for several
// entries is cheaper; at least once per quarter of the ring keeps the producer going.
func (c *Consumer) Release() { c.ReleaseTo(c.head) }

// ReleaseTo is Release of the first n entries since the start, of those that were popped.
func (c *Consumer) ReleaseTo(n uint64) {
	if n != c.released {
		fence.StoreRelease(c.geometry.head, n)
		c.released = n
	}
}

// Insist is Release of the first n entries by any other goroutine, beside the one that
// consumes. n has been popped.
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
