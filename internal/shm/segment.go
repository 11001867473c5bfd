package shm

import (
	"errors"
	"fmt"
)

// A Segment is a file of its own and a mapping of all of it: the control memory of
// a connection, say.
type Segment struct {
	*Mapping
	file *File
}

// NewSegment makes one of size zero bytes, readable and writable: see
// [CreateFile].
func NewSegment(name string, size, huge int) (*Segment, error) {
	f, err := CreateFile(name, int64(size), huge)
	if err != nil {
		return nil, err
	}
	return segment(f, size, ReadWrite)
}

// OpenSegment takes over a descriptor that came from a peer and maps all of it: see
// [OpenFile]. Its size must be what the caller expects, and its pages ordinary ones: an access
// to others can fault, see [File.Huge].
func OpenSegment(fd, size int, a Access) (*Segment, error) {
	f, err := OpenFile(fd)
	if err != nil {
		return nil, err
	}
	if f.size != int64(size) {
		f.Close()
		return nil, fail("map shared memory", ErrUnfit, fmt.Sprintf("%d bytes where %d are due", f.size, size), nil)
	}
	if f.Huge() {
		f.Close()
		return nil, fail("map shared memory", ErrUnfit, "it has huge pages, which can be taken away again", nil)
	}
	return segment(f, size, a)
}

func segment(f *File, size int, a Access) (*Segment, error) {
	m, err := f.Map(0, size, a)
	if err != nil {
		f.Close()
		return nil, err
	}
	return &Segment{Mapping: m, file: f}, nil
}

// FD is the descriptor, -1 once it is closed.
func (s *Segment) FD() int { return s.file.FD() }

// CloseFile closes the descriptor and keeps the mapping, when no further process shall
// get it.
func (s *Segment) CloseFile() error { return s.file.Close() }

// Close gives the memory back, and the descriptor, if that is still open. A second
// time is ErrClosed.
func (s *Segment) Close() error {
	err := s.Unmap()
	if e := s.file.Close(); !errors.Is(e, ErrClosed) {
		err = errors.Join(err, e)
	}
	return err
}
