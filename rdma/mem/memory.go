package mem

import (
	"runtime"
	"sync/atomic"

	"github.com/godapl/godapl/internal/hca"
	"github.com/godapl/godapl/internal/shm"
)

// memory is the memory under one or more regions. The last reference frees it.
type memory struct {
	bytes    []byte
	pageSize int
	refs     atomic.Int64
	mapped   bool        // the library's own: anonymous, of an extent, or of a chunk
	extent   *shm.Extent // where it can be mapped from by other processes; nil if nowhere
	chunk    *chunk      // that it is a part of; nil if it has a mapping of its own
	pinner   runtime.Pinner
	// device and inode are the file of shared memory.
	device, inode uint64
	atEnd         []func() // further work of the last reference
}

func newMapped(b []byte, pageSize int) *memory {
	m := &memory{bytes: b, pageSize: pageSize, mapped: true}
	m.refs.Store(1)
	return m
}

// describe is the description of the memory for adapters.
func (m *memory) describe() hca.Memory {
	d := hca.Memory{Bytes: m.bytes, Own: m.lasting()}
	if e := m.extent; e != nil && !e.Detached() {
		d.File = uintptr(e.File.FD())
		d.Detach = func() error { return e.Detach(m.bytes) }
	}
	return d
}

// lasting reports whether the pages stay accessible, whatever the program or a peer does.
// Pages that the library has mapped do. Huge pages in a file that peers may map do not: a peer
// can free them, and the system may have no new ones.
func (m *memory) lasting() bool {
	return m.mapped && (m.extent == nil || m.pageSize == PageSize())
}

// newPinned is over a slice of the program. Pinning keeps it where it is while
// the adapter knows its address; it is a no-op for memory that is not Go's.
func newPinned(b []byte) *memory {
	m := &memory{bytes: b, pageSize: PageSize()}
	m.pinner.Pin(&b[0])
	m.refs.Store(1)
	return m
}

// retain takes a reference unless the last one is gone.
func (m *memory) retain() bool {
	for {
		n := m.refs.Load()
		if n == 0 {
			return false
		}
		if m.refs.CompareAndSwap(n, n+1) {
			return true
		}
	}
}

func (m *memory) release() {
	if m.refs.Add(-1) != 0 {
		return
	}
	defer func() {
		for _, f := range m.atEnd {
			f()
		}
	}()
	switch {
	case m.chunk != nil:
		m.chunk.free(m.bytes)
	case m.mapped:
		freed.take(m.bytes)
		if m.extent != nil { // this process no longer maps the file
			freeShared(m.extent)
		}
	default:
		m.pinner.Unpin()
	}
}
