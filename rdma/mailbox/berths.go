package mailbox

import (
	"sync"

	"github.com/godapl/godapl/rdma"
	"github.com/godapl/godapl/rdma/mem"
)

// berths is the memory for what senders send. Several senders share a registration, which alone costs an
// adapter about a kilobyte. No peer can access it other than by its own receives.
type berths struct {
	mu   sync.Mutex
	free map[int][]*pier // by the size of a berth: those that have one
}

// pier is a piece of registered memory, for several senders of the same needs.
type pier struct {
	memory *slots // one for each sender
	count  int
}

// maxPier is the size of a piece for several senders, in bytes, and perPier is for how many it is.
const maxPier, perPier = 64 << 10, 16

// berth is the receives of a sender.
type berth struct {
	pier  *pier
	place uint32
	size  int // of a receive
}

// take takes memory for so many receives.
func (b *berths) take(zone *rdma.Zone, receives, size int) (berth, error) {
	size = (size + 7) &^ 7
	bytes := receives * size
	b.mu.Lock()
	defer b.mu.Unlock()
	if len(b.free[bytes]) == 0 {
		count := max(1, min(perPier, maxPier/bytes))
		memory, err := newSlots(zone, count, bytes, mem.LocalWrite)
		if err != nil {
			return berth{}, err
		}
		if b.free == nil {
			b.free = map[int][]*pier{}
		}
		b.free[bytes] = append(b.free[bytes], &pier{memory, count})
	}
	piers := b.free[bytes]
	p := piers[len(piers)-1]
	place, _ := p.memory.take()
	if len(p.memory.free) == 0 {
		piers[len(piers)-1] = nil
		b.free[bytes] = piers[:len(piers)-1]
	}
	return berth{p, place, size}, nil
}

// give gives it back, when the connection can use it no more.
func (b *berths) give(m berth) {
	b.mu.Lock()
	defer b.mu.Unlock()
	p := m.pier
	bytes := p.memory.size
	p.memory.give(m.place)
	switch len(p.memory.free) {
	case p.count: // nobody has it
		kept := b.free[bytes][:0]
		for _, other := range b.free[bytes] {
			if other != p {
				kept = append(kept, other)
			}
		}
		clear(b.free[bytes][len(kept):])
		if b.free[bytes] = kept; len(kept) == 0 {
			delete(b.free, bytes)
		}
		_ = p.memory.region.Free()
	case 1:
		b.free[bytes] = append(b.free[bytes], p)
	}
}

// at is the memory of a receive.
func (m berth) at(i uint64) mem.Slice {
	return m.pier.memory.region.Slice(int(m.place)*m.pier.memory.size+int(i)*m.size, m.size)
}

// message is the first n bytes of it. They are gone if the adapter has been closed.
func (m berth) message(i uint64, n int) ([]byte, bool) {
	b := m.at(i).Bytes()
	if n > len(b) {
		return nil, false
	}
	return b[:n], true
}

// freed reports whether the memory is gone.
func (m berth) freed() bool { return m.pier.memory.region.Freed() }
