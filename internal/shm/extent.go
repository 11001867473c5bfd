package shm

import (
	"os"
	"sync"
)

// An Extent is memory that other processes can map: a sealed file that holds nothing
// else, since a descriptor gives access to the whole file. All methods may be called
// concurrently.
type Extent struct {
	File *File
	Len  int

	mu       sync.Mutex
	detached bool
	over     bool
}

// NewExtent makes n zero bytes in whole pages, huge pages if huge is their size. It
// fails like [CreateFile], and with ErrUnsupported where a lack of memory would raise a
// signal when the memory is touched, instead of an error now.
func NewExtent(name string, n, huge int) (*Extent, error) {
	if huge == 0 && strictMemory() {
		return nil, fail("allocate shared memory", ErrUnsupported, "the system promises no more memory than it has (vm.overcommit_memory=2), and that promise does not cover files of memory", nil)
	}
	if huge == 0 && n%os.Getpagesize() != 0 {
		return nil, fail("allocate shared memory", ErrInvalid, "not whole pages", nil)
	}
	file, err := CreateFile(name, int64(n), huge)
	if err != nil {
		return nil, err
	}
	return &Extent{File: file, Len: n}, nil
}

// Map maps the extent for reading and writing. The caller owns the mapping, and calls
// [DropMapping] when it unmaps it.
func (e *Extent) Map() ([]byte, error) {
	m, err := e.File.Map(0, e.Len, ReadWrite)
	if err != nil {
		return nil, err
	}
	return m.Bytes(), nil
}

// Detach is [Detach] of b, the extent's own mapping. A second time does nothing.
func (e *Extent) Detach(b []byte) error {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.over {
		return fail("detach", ErrClosed, "", nil)
	}
	if e.detached {
		return nil
	}
	if err := Detach(b, e.File, 0); err != nil {
		return err
	}
	e.detached = true
	return nil
}

// Detached reports whether the memory was separated from the file.
func (e *Extent) Detached() bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.detached
}

// Free gives the memory back. All mappings have been removed before, or their owners
// have lost the right to use them. A second call is ErrClosed.
func (e *Extent) Free() error {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.over {
		return fail("free", ErrClosed, "", nil)
	}
	e.over = true
	// A peer may keep the file open, so closing it is not enough.
	_ = e.File.Punch(0, int64(e.Len))
	return e.File.Close()
}
