package mailbox

import (
	"sync"

	"github.com/godapl/godapl/rdma"
	"github.com/godapl/godapl/rdma/mem"
)

// slabs are the memory for what senders send. Several senders share a registration, which alone costs an
// adapter about a kilobyte. No peer can access it other than by its own receives.
type slabs struct {
	mu   sync.Mutex
	free map[int][]*slab // by the size of a place: those that have a free one
}

// slab is a piece of registered memory, for several senders of the same needs.
type slab struct {
	memory *slots // one for each sender
	count  int
}

// maxSlab is the size of a piece for several senders, in bytes, and perSlab is for how many it is.
const maxSlab, perSlab = 64 << 10, 16

// inbound is the memory of the receives of one sender: a place in a slab.
type inbound struct {
	slab  *slab
	place uint32
	size  int // of a receive
}

// take takes memory for so many receives.
func (b *slabs) take(zone *rdma.Zone, receives, size int) (inbound, error) {
	size = (size + 7) &^ 7
	bytes := area(receives, size)
	b.mu.Lock()
	defer b.mu.Unlock()
	if len(b.free[bytes]) == 0 {
		count := max(1, min(perSlab, maxSlab/bytes))
		memory, err := newSlots(zone, count, bytes, mem.LocalWrite)
		if err != nil {
			return inbound{}, err
		}
		if b.free == nil {
			b.free = map[int][]*slab{}
		}
		b.free[bytes] = append(b.free[bytes], &slab{memory, count})
	}
	all := b.free[bytes]
	p := all[len(all)-1]
	place, _ := p.memory.take()
	if len(p.memory.free) == 0 {
		all[len(all)-1] = nil
		b.free[bytes] = all[:len(all)-1]
	}
	return inbound{p, place, size}, nil
}

// give gives it back, when the connection can use it no more.
func (b *slabs) give(m inbound) {
	b.mu.Lock()
	defer b.mu.Unlock()
	p := m.slab
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
func (m inbound) at(i uint64) mem.Slice {
	return m.slab.memory.region.Slice(int(m.place)*m.slab.memory.size+int(i)*m.size, m.size)
}

// message is the first n bytes of it. They are gone if the adapter has been closed.
func (m inbound) message(i uint64, n int) ([]byte, bool) {
	b := m.at(i).Bytes()
	if n > len(b) {
		return nil, false
	}
	return b[:n], true
}

// freed reports whether the memory is gone.
func (m inbound) freed() bool { return m.slab.memory.region.Freed() }
