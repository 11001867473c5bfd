package mem

import "sync"

// The system lets a process have so many mappings and no more, 65530 as a rule. So what is
// small does not get one of its own: it is a range of pages of an arena's chunk, which
// is anonymous memory. No file stands for it that could be given to anybody: other processes
// read it through the kernel, and have this one write to it.

// An arena hands out pages for one zone. Nothing that it does splits a mapping: what is
// free goes back to the system page by page, and only whole chunks are unmapped.
type arena struct {
	mu     sync.Mutex
	chunks []*chunk
	rest   restQueue
	bytes  int // of all chunks
	closed bool
}

// Sizes of chunks, in bytes: each is as large as all before it together, within these
// bounds; but there is one that is as large as a region may be that comes out of an arena.
const (
	wide       = ^uint(0) >> 63 // 1 where addresses are plenty
	chunkLeast = 1 << 20
	chunkMost  = 1 << (22 + 4*wide) // 4 MiB or 64 MiB
	arenaMost  = chunkMost / 4
)

// alloc finds n bytes of zeros, whole pages.
func (a *arena) alloc(n int) (*memory, error) {
	pages := n / PageSize()
	a.mu.Lock()
	c, at := a.find(pages)
	if c == nil {
		var err error
		if c, at, err = a.grow(pages); err != nil {
			a.mu.Unlock()
			return nil, err
		}
	}
	late := c.take(at, pages)
	a.mu.Unlock()
	b := c.at(at, pages)
	if late { // somebody may have written to it when it was free
		zero(b)
	}
	m := newMapped(b, PageSize())
	m.chunk = c
	return m, nil
}

// find looks for free pages in the chunks that are there.
func (a *arena) find(pages int) (*chunk, int) {
	for _, c := range a.chunks {
		if at := c.find(pages); at >= 0 {
			return c, at
		}
	}
	return nil, -1
}

// mapChunk maps memory for a chunk.
func mapChunk(n int) ([]byte, error) {
	b, err := mapAnonymous(n, PageSize())
	if err == nil {
		sysOrdinary(b)
	}
	return b, err
}

// zero gives pages back to the system. Who looks at them finds zeros.
func zero(b []byte) {
	if sysZero(b) != nil { // locked in memory, for instance
		clear(b)
	}
}

// grow finds pages in a new chunk. If there can be none, those that were freed lately are
// used again before their time.
func (a *arena) grow(pages int) (*chunk, int, error) {
	size := max(min(max(a.bytes, chunkLeast), chunkMost), pages*PageSize())
	b, err := mapChunk(size)
	if err != nil {
		a.rest.leave(0, 0)
		freed.empty()
		if c, at := a.find(pages); c != nil {
			return c, at, nil
		}
		if b, err = mapChunk(pages * PageSize()); err != nil {
			return nil, -1, err
		}
	}
	c := newChunk(a, b)
	a.chunks = append(a.chunks, c)
	a.bytes += len(b)
	return c, 0, nil
}

// free takes a range back. Late uses find zeros until it serves again.
func (c *chunk) free(b []byte) {
	zero(b)
	a := c.arena
	a.mu.Lock()
	c.live--
	a.rest.enter(c, b)
	gone := a.surplus(c)
	a.mu.Unlock()
	if gone {
		freed.take(c.bytes)
	}
}

// surplus takes a chunk that is empty out of the arena, unless it is the only one that is
// empty: the next region will need one. a.mu is held.
func (a *arena) surplus(c *chunk) bool {
	if c.live > 0 {
		return false
	}
	if !a.closed {
		others := false
		for _, o := range a.chunks {
			others = others || o != c && o.live == 0
		}
		if !others {
			return false
		}
	}
	a.drop(c)
	return true
}

// drop forgets a chunk. a.mu is held.
func (a *arena) drop(c *chunk) {
	for i, o := range a.chunks {
		if o == c {
			a.chunks = append(a.chunks[:i], a.chunks[i+1:]...)
			a.bytes -= len(c.bytes)
			break
		}
	}
	c.gone = true
}

// close gives back what is empty. The other chunks go with the last region in them, which
// another zone may have registered, too.
func (a *arena) close() {
	a.mu.Lock()
	a.closed = true
	var empty []*chunk
	for _, c := range a.chunks {
		if c.live == 0 {
			empty = append(empty, c)
		}
	}
	for _, c := range empty {
		a.drop(c)
	}
	a.mu.Unlock()
	for _, c := range empty {
		freed.take(c.bytes)
	}
}
