package shm

import "os"

// A Park is an event in Go's poller, on which one goroutine sleeps for a [Doorbell].
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

// FD returns the descriptor of the event; the peer gets a copy of it. The Park owns it.
func (p *Park) FD() int { return p.fd }

// Sleep blocks until the event is signalled, and returns nil; at once if it was signalled
// since the last Sleep. After Close, and when Close interrupts it, it returns ErrClosed.
// One goroutine at a time may call it.
func (p *Park) Sleep() error {
	if err := p.wait(drained); err != nil {
		return fail("sleep", ErrClosed, "", err)
	}
	return nil
}

func drained(fd uintptr) bool { return Drain(int(fd)) }

// Close wakes the sleeper and closes the descriptor. Later sleeps return ErrClosed at once.
func (p *Park) Close() error {
	if err := p.file.Close(); err != nil {
		return fail("close", ErrClosed, "", err)
	}
	return nil
}
