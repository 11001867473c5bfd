package shm

import "os"

// A Park is an event in Go's poller, on which one goroutine sleeps for a [Bell].
type Park struct {
	file *os.File
	fd   int
	wait func(func(fd uintptr) bool) error
}

// NewPark makes an event and a place to sleep on it.
func NewPark() (*Park, error) {
	fd, err := NewEvent()
	if err != nil {
		return nil, err
	}
	f := os.NewFile(uintptr(fd), "eventfd")
	raw, err := f.SyscallConn()
	if err != nil {
		f.Close()
		return nil, fail("make event", ErrUnsupported, "", err)
	}
	return &Park{f, fd, raw.Read}, nil
}

// FD is the descriptor that rings the Park; the peer gets a copy of it. The Park owns
// it.
func (p *Park) FD() int { return p.fd }

// Sleep returns when the event has been signalled since the last Sleep, at once if
// that was before: nil. After Close, and when Close interrupts it, it is ErrClosed.
// One goroutine at a time.
func (p *Park) Sleep() error {
	if err := p.wait(drained); err != nil {
		return fail("sleep", ErrClosed, "", err)
	}
	return nil
}

func drained(fd uintptr) bool { return Drain(int(fd)) }

// Close wakes the sleeper for good and gives the descriptor back.
func (p *Park) Close() error {
	if err := p.file.Close(); err != nil {
		return fail("close", ErrClosed, "", err)
	}
	return nil
}
