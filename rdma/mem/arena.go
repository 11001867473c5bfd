package mem

import "sync"

// The system limits the mappings of a process, usually to 65530. So small memory has no
// mapping of its own: it is a range of pages of an arena's chunk, which is anonymous memory.
// There is no file to share with other processes: they read it through the kernel, and this
// process executes their writes.

// An arena allocates pages for one zone. It never splits a mapping: free pages are returned to
// the system one by one, and only whole chunks are unmapped.
type arena struct {
	mu     sync.Mutex
	chunks []*chunk
	rest   restQueue
	bytes  int // of all chunks
	closed bool
}

// Sizes of chunks, in bytes: each is as large as all former ones together, within these
// bounds, but never smaller than the region that needs it.
const (
	wide       = ^uint(0) >> 63 // 1 where addresses are plenty
	chunkLeast = 1 << 20
	chunkMost  = 1 << (22 + 4*wide) // 4 MiB or 64 MiB
	arenaMost  = chunkMost / 4
)

// alloc allocates n bytes of zeros, in whole pages.
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
	if late { // a late use may have written to it while it was free
		zero(b)
	}
	m := newMapped(b, PageSize())
	m.chunk = c
	return m, nil
}

// find searches the existing chunks for free pages.
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

// zero returns pages to the system; they read as zeros afterwards.
func zero(b []byte) {
	if sysZero(b) != nil { // locked in memory, for instance
		clear(b)
	}
}

// grow allocates pages in a new chunk. If that fails, it reuses recently freed pages early.
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

// free frees a range. Late uses read zeros until it is reused.
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

// surplus removes an empty chunk from the arena, unless it is the only empty one, which the
// next region will need. The caller holds a.mu.
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

// close unmaps the empty chunks. Each other chunk is unmapped with its last region, which may
// belong to another zone, too.
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
