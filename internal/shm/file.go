package shm

import (
	"fmt"
	"os"
	"sync"
)

// Access says whether a mapping can be read and written.
type Access uint8

const (
	ReadOnly Access = iota
	ReadWrite
)

// A File is memory behind a descriptor: a memfd that can neither shrink nor grow nor
// lose these seals. Its mappings outlive it. All methods may be called concurrently.
type File struct {
	size int64
	page int

	mu sync.RWMutex // guards the descriptor against Close while it is used
	fd int          // -1 once closed
}

// CreateFile makes a file of size zero bytes; they take no memory until they are
// touched. huge is the size of its huge pages, 0 for ordinary pages; size is a multiple
// of the page size. The name appears in /proc. ErrResources at a limit, ErrUnsupported
// if the system has no such files.
func CreateFile(name string, size int64, huge int) (*File, error) {
	page := os.Getpagesize()
	if huge > 0 {
		page = huge
	}
	if size <= 0 || size%int64(page) != 0 || page&(page-1) != 0 {
		return nil, fail("create shared memory", ErrInvalid, fmt.Sprintf("%d bytes in pages of %d", size, page), nil)
	}
	fd, err := sysCreate(name, size, huge)
	if err != nil {
		return nil, err
	}
	return &File{size: size, page: page, fd: fd}, nil
}

// OpenFile takes over a descriptor that came from a peer. If it is not a sealed file of
// memory, OpenFile closes it and returns ErrUnfit: without the seals the peer could
// shorten the file, and the next access to a mapping of it would kill this process.
func OpenFile(fd int) (*File, error) {
	size, page, err := sysVerify(fd)
	if err != nil {
		CloseFD(fd)
		return nil, err
	}
	return &File{size: size, page: page, fd: fd}, nil
}

// Size returns the size in bytes. It never changes.
func (f *File) Size() int64 { return f.size }

// PageSize returns the page size in bytes. Offsets and lengths of mappings are multiples of it.
func (f *File) PageSize() int { return f.page }

// Huge reports whether the file consists of huge pages. Only an access to a peer's file of
// huge pages can fault: a process that may write to the file can also give its pages back,
// and if the system has none left, the next access raises a signal. See [TryCopy].
func (f *File) Huge() bool { return f.page != os.Getpagesize() }

// FD returns the descriptor, -1 after Close. The file owns it; send it to a peer before
// Close.
func (f *File) FD() int {
	f.mu.RLock()
	defer f.mu.RUnlock()
	return f.fd
}

// Map maps n bytes from off on, both multiples of the page size. ErrUnfit if that is
// not inside the file, as offsets come from peers, ErrResources at a limit.
func (f *File) Map(off int64, n int, a Access) (*Mapping, error) {
	const op = "map shared memory"
	if off < 0 || n <= 0 || off > f.size || int64(n) > f.size-off || off%int64(f.page) != 0 || n%f.page != 0 {
		return nil, fail(op, ErrUnfit, fmt.Sprintf("%d bytes at %d of a file of %d, in pages of %d", n, off, f.size, f.page), nil)
	}
	f.mu.RLock()
	defer f.mu.RUnlock()
	if f.fd < 0 {
		return nil, fail(op, ErrClosed, "", nil)
	}
	if err := HoldMapping(); err != nil {
		return nil, err
	}
	b, err := sysMmap(f.fd, off, n, a)
	if err != nil {
		DropMapping()
		return nil, err
	}
	return &Mapping{bytes: b}, nil
}

// Punch gives the pages of a range back to the system; mappings of the range read zeros
// from now on.
func (f *File) Punch(off, n int64) error {
	f.mu.RLock()
	defer f.mu.RUnlock()
	if f.fd < 0 {
		return fail("punch", ErrClosed, "", nil)
	}
	return sysPunch(f.fd, off, n)
}

// Close closes the descriptor. Closing twice is ErrClosed.
func (f *File) Close() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.fd < 0 {
		return fail("close", ErrClosed, "", nil)
	}
	CloseFD(f.fd)
	f.fd = -1
	return nil
}

// A Mapping is a piece of a file in this process's memory.
type Mapping struct {
	mu    sync.Mutex
	bytes []byte
}

// Bytes returns the mapped memory, nil after Unmap. After Unmap the addresses are invalid,
// so no goroutine may use the memory any more.
func (m *Mapping) Bytes() []byte {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.bytes
}

// Unmap removes the mapping. A second call returns ErrClosed.
func (m *Mapping) Unmap() error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.bytes == nil {
		return fail("unmap", ErrClosed, "", nil)
	}
	b := m.bytes
	m.bytes = nil
	DropMapping()
	return sysMunmap(b)
}

// CloseFDs closes descriptors that came with a message.
func CloseFDs(fds []int) {
	for _, fd := range fds {
		CloseFD(fd)
	}
}
