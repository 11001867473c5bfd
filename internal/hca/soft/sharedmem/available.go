package sharedmem

import (
	"errors"
	"sync"

	"github.com/godapl/godapl/internal/hca"
	"github.com/godapl/godapl/internal/hca/soft/sharedmem/keydir"
	"github.com/godapl/godapl/internal/shm"
)

// A system can lack or forbid what this path needs: memory files (memfd_create), /proc, Unix sockets. The
// adapter tests for these before it contacts another process, so that it can still reach that process over the
// network.

// ability is the result of the adapter's test of the system.
type ability struct {
	mu   sync.Mutex
	yes  bool
	err  error // *unableError; permanent
	told sync.Once
}

// unableError tells why this process cannot share memory with others. The reason is permanent.
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

// failure is err as an error of the contract. What this process lacks is its own shortage, whatever the peer makes of it.
func failure(code hca.Code, op, object, detail string, err error) error {
	switch {
	case errors.As(err, new(*hca.Error)):
		return err
	case errors.Is(err, shm.ErrResources):
		code, detail = hca.Resources, ""
	}
	return hca.Wrap(code, op, object, detail, err)
}

// canShare tests what connections need, until the test succeeds or fails permanently. After a temporary
// shortage, of descriptors for instance, the next call tests again.
func (p *Path) canShare() error {
	s := &p.able
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.yes || s.err != nil {
		return s.err
	}
	err := tryShare()
	if s.yes = err == nil; !s.yes && !errors.Is(err, shm.ErrResources) {
		s.err = &unableError{err}
		return s.err
	}
	return err
}

// tryShare creates what a side of a connection does, and releases it: the largest file, a read-only descriptor of it, and an event.
func tryShare() error {
	seg, err := shm.NewSegment("godapl-try", keydir.Size, 0)
	if err != nil {
		return err
	}
	defer seg.Close()
	fd, err := reopenReadOnly(seg.FD())
	if err != nil {
		return err
	}
	again, err := shm.OpenSegment(fd, keydir.Size, shm.ReadOnly)
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

// sayUnable logs once that processes of this host are reached over the network only. It reports whether err is
// the reason for that.
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
