package mem

import (
	"runtime"
	"sync/atomic"
)

// memory is what one or more regions lie over. The last reference gives it back.
type memory struct {
	bytes    []byte
	pageSize int
	refs     atomic.Int64
	mapped   bool // the library's own, from sysMap
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
		return
	}
	m.pinner.Unpin()
}
