package mem

import (
	"runtime"
	"sync/atomic"

	"github.com/godapl/godapl/internal/hca"
	"github.com/godapl/godapl/internal/shm"
)

// memory is what one or more regions lie over. The last reference gives it back.
type memory struct {
	bytes    []byte
	pageSize int
	refs     atomic.Int64
	mapped   bool        // the library's own, from sysMap or an extent
	extent   *shm.Extent // where it can be mapped from by other processes; nil if nowhere
	pinner   runtime.Pinner
	// device and inode are the file of shared memory.
	device, inode uint64
	atEnd         []func() // what else the last reference does
}

func newMapped(b []byte, pageSize int) *memory {
	m := &memory{bytes: b, pageSize: pageSize, mapped: true}
	m.refs.Store(1)
	return m
}

// newShared is over a range of a file, which is mapped at b.
func newShared(b []byte, pageSize int, e *shm.Extent) *memory {
	m := newMapped(b, pageSize)
	m.extent = e
	return m
}

// describe is the memory as adapters get to know it.
func (m *memory) describe() hca.Memory {
	d := hca.Memory{Bytes: m.bytes}
	if e := m.extent; e != nil && !e.Detached() {
		d.File, d.Offset = uintptr(e.File.FD()), e.Offset
		d.Detach = func() error { return e.Detach(m.bytes) }
	}
	return d
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
	if m.mapped {
		freed.take(m.bytes)
		if m.extent != nil { // nothing of this process maps the range any more
			m.extent.Free()
		}
		return
	}
	m.pinner.Unpin()
}
