package rdma

import (
	"sync"

	"github.com/godapl/godapl/internal/hca"
	"github.com/godapl/godapl/rdma/mem"
)

// slicePool is a pool of library memory in pieces of one size, registered on first use.
type slicePool struct {
	memory     zoneMemory
	rights     mem.Rights
	size, grow int // bytes of a piece, and of a region

	mu      sync.Mutex
	idle    []mem.Slice
	regions []*mem.Region
	freed   bool
}

func (p *slicePool) init(m zoneMemory, rights mem.Rights, size, grow int) {
	p.memory, p.rights, p.size, p.grow = m, rights, size, grow
}

func (p *slicePool) get() (mem.Slice, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.freed {
		return mem.Slice{}, hca.NewError(hca.Closed, "", "", "its connection has been given up")
	}
	if len(p.idle) == 0 {
		r, err := p.memory.Alloc(p.grow, p.rights, mem.AllocConfig{})
		if err != nil {
			return mem.Slice{}, err
		}
		p.regions = append(p.regions, r)
		for off := 0; off+p.size <= p.grow; off += p.size {
			p.idle = append(p.idle, r.Slice(off, p.size))
		}
	}
	s := p.idle[len(p.idle)-1]
	p.idle = p.idle[:len(p.idle)-1]
	return s, nil
}

func (p *slicePool) put(s mem.Slice) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.freed {
		p.idle = append(p.idle, s)
	}
}

// free frees the memory. The adapter must not use any piece any more.
func (p *slicePool) free() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, r := range p.regions {
		r.Free()
	}
	p.regions, p.idle, p.freed = nil, nil, true
}
