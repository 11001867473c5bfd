package shm

import (
	"fmt"
	"os"
	"sync"
)

// Access is what a mapping can do.
type Access uint8

const (
	ReadOnly Access = iota
	ReadWrite
)

// A File is memory behind a descriptor: a memfd that can neither shrink nor grow
// nor lose these seals. Mappings of it outlive it. All methods may be called
// concurrently.
type File struct {
	size int64
	page int

	mu sync.RWMutex // Close against whoever uses the descriptor
	fd int          // -1 once closed
}

// CreateFile makes size bytes of zeros; they take no memory until they are
// touched. huge is the size of the huge pages it shall consist of, 0 for ordinary
// ones; size is a multiple of the pages'. The name is for people who look
// at /proc. ErrResources at a limit, ErrUnsupported if the system has no such files.
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

// OpenFile takes over a descriptor that came from a peer. It is closed if it is not
// a sealed file of memory: ErrUnfit. Without the seals the peer could shorten it,
// and whoever then touches a mapping of it dies.
func OpenFile(fd int) (*File, error) {
	size, page, err := sysVerify(fd)
	if err != nil {
		CloseFD(fd)
		return nil, err
	}
	return &File{size: size, page: page, fd: fd}, nil
}

// Size is in bytes. It never changes.
func (f *File) Size() int64 { return f.size }

// PageSize is in bytes. Offsets and lengths of mappings are multiples of it.
func (f *File) PageSize() int { return f.page }

// Huge is whether it consists of huge pages. A peer's file of these is the one kind
// that can still fault: whoever may write to it can also give its pages back, and if
// the system then has none left, the next touch is a signal. See [TryCopy].
func (f *File) Huge() bool { return f.page != os.Getpagesize() }

// FD is the descriptor, -1 once closed. It stays the file's: who sends it to a peer
// does so before Close.
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

// Punch gives the pages of a range back to the system; who maps them sees zeros
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

// Bytes is the memory, nil after Unmap. Whoever has it must be done before Unmap:
// after it, the addresses belong to nobody.
func (m *Mapping) Bytes() []byte {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.bytes
}

// Unmap gives the addresses back. A second time is ErrClosed.
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
