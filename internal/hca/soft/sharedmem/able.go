package sharedmem

import (
	"errors"
	"sync"

	"github.com/godapl/godapl/internal/shm"
)

// A system can lack what the path over shared memory needs, or forbid it: files of memory
// (memfd_create), /proc, Unix sockets. That is found out before another process is met, so
// that it can still be met over the network.

// ability is what an adapter has found out.
type ability struct {
	mu   sync.Mutex
	yes  bool
	err  error // *unableError; stays
	told sync.Once
}

// unableError is why this process can share no memory with others. It does not pass.
type unableError struct{ err error }

func (e *unableError) Error() string { return e.err.Error() }

func (e *unableError) Unwrap() error { return e.err }

const noSharing = "this process cannot share memory with others"

// unable makes an *unableError of what the system lacks or forbids.
func unable(err error) error {
	if errors.Is(err, shm.ErrDenied) || errors.Is(err, shm.ErrUnsupported) {
		return &unableError{err}
	}
	return err
}

// canShare tries what connections need, until it has succeeded or will never. What only is
// short now, as descriptors can be, is tried again the next time.
func (p *Path) canShare() error {
	s := &p.able
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.yes || s.err != nil {
		return s.err
	}
	err := tryShare()
	switch {
	case err == nil:
		s.yes = true
	case !errors.Is(err, shm.ErrResources):
		s.err = &unableError{err}
		return s.err
	}
	return err
}

// tryShare makes what either side of a connection makes, and gives it back: memory, a
// descriptor of it that is good for reading only, an event.
func tryShare() error {
	seg, err := shm.NewSegment("godapl-try", pageSize, 0)
	if err != nil {
		return err
	}
	defer seg.Close()
	fd, err := reopenReadOnly(seg.FD())
	if err != nil {
		return err
	}
	again, err := shm.OpenSegment(fd, pageSize, shm.ReadOnly)
	if err != nil {
		return err
	}
	defer again.Close()
	event, err := shm.NewEvent()
	if err != nil {
		return err
	}
	defer shm.CloseFD(event)
	return shm.CheckEvent(event)
}

// sayUnable says in the log that processes of this host are reached over the network only,
// once. It reports whether err is the reason for that.
func (p *Path) sayUnable(err error) bool {
	var e *unableError
	if !errors.As(err, &e) {
		return false
	}
	p.able.told.Do(func() {
		p.a.Log.Info(noSharing+", so those of this host are reached over the network, too", "reason", e)
	})
	return true
}
