package shm

import (
	"fmt"

	"github.com/godapl/godapl/internal/fence"
)

// A Producer is the writing end of a ring, for one goroutine at a time. It reads one
// word of the shared memory, and never reads back what it has written.
type Producer struct {
	geometry
	tail uint64 // entries written
	seen uint64 // the latest head, checked
}

// NewProducer is the writing end of a new ring, which lies at the start of mem. No entry has
// been written to it.
func NewProducer(mem []byte, c RingConfig) (*Producer, error) {
	p := &Producer{}
	if err := p.init("open ring", mem, c); err != nil {
		return nil, err
	}
	return p, nil
}

// Reserve returns the place for the data of the next entry; nil if the ring is full.
// The place is shared memory: the peer may change it, so do not read it back.
// ErrCorrupt if the peer has damaged the ring.
func (p *Producer) Reserve() ([]byte, error) {
	if p.tail-p.seen > p.mask {
		if err := p.loadHead(); err != nil || p.tail-p.seen > p.mask {
			return nil, err
		}
	}
	return p.data(p.tail), nil
}

// loadHead loads the consumer's head. A valid head lies between the last one and the number
// of entries written.
func (p *Producer) loadHead() error {
	head := p.head.Load()
	if head-p.seen > p.tail-p.seen {
		return fail("write to ring", ErrCorrupt, fmt.Sprintf("%d entries were taken, of %d written, after %d", head, p.tail, p.seen), nil)
	}
	p.seen = head
	return nil
}

// HeadMoved reports whether the consumer's release count differs from since. Any goroutine
// may call it.
func (p *Producer) HeadMoved(since uint64) bool { return p.head.Load() != since }

// Room returns how many entries can be written now.
func (p *Producer) Room() (int, error) {
	err := p.loadHead()
	return p.config.Slots - int(p.tail-p.seen), err
}

// Released returns how many entries the consumer has given back since the start. It returns
// ErrCorrupt as Reserve does.
func (p *Producer) Released() (uint64, error) {
	err := p.loadHead()
	return p.seen, err
}

// Commit publishes the reserved entry, which has e.Len bytes of data. It panics if no entry
// can have been reserved.
func (p *Producer) Commit(e Entry) {
	if p.tail-p.seen > p.mask || e.Len < 0 || e.Len > p.config.Room() {
		panic(fmt.Sprintf("shm: commit of %d bytes without a slot for them", e.Len))
	}
	fence.StoreRelease(p.stamp(p.tail), stamp(p.tail, e))
	p.tail++
}

// Push is Reserve, a copy of the data, and Commit. It reports false if the ring is
// full.
func (p *Producer) Push(e Entry, data []byte) (bool, error) {
	b, err := p.Reserve()
	if b == nil {
		return false, err
	}
	e.Len = len(data)
	copy(b, data)
	p.Commit(e)
	return true, nil
}
