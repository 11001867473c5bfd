package pages

import (
	"errors"
	"sync"
	"unsafe"

	"golang.org/x/sys/unix"
)

// An Asker asks the kernel. The zero value is ready. It holds one descriptor from the
// first question on, so it must be closed. It may be used concurrently.
type Asker struct {
	mu     sync.RWMutex
	fd     int
	opened bool // or was tried in vain: fd is negative then
	ways   ways // that tests leave out
}

// ways are the methods that must not be used.
type ways struct{ noQuery, noPopulate bool }

// errUnknown says that the system does not have a way, or that it does not decide.
var errUnknown = errors.New("the system does not tell")

// populateMost bounds how much memory is faulted in for a check.
const populateMost = 1 << 20

// Check returns a *Refusal if the pages under b do not allow the access, and nil if
// they do or the system does not tell.
func (a *Asker) Check(b []byte, need Need) error {
	if len(b) == 0 || need == 0 {
		return nil
	}
	from := uint64(uintptr(unsafe.Pointer(unsafe.SliceData(b))))
	to := from + uint64(len(b))
	err := a.query(from, to, need)
	if err == errUnknown && len(b) <= populateMost {
		err = a.populate(from, to, need)
	}
	if err == errUnknown {
		err = a.text(from, to, need)
	}
	if err == errUnknown {
		return nil
	}
	return err
}

// Close gives the descriptor back. Questions that come later are answered by the other
// ways.
func (a *Asker) Close() {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.opened && a.fd >= 0 {
		_ = unix.Close(a.fd)
	}
	a.fd, a.opened = -1, true
}

// open makes the descriptor.
func (a *Asker) open() {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.opened {
		return
	}
	fd, err := unix.Open("/proc/self/maps", unix.O_RDONLY|unix.O_CLOEXEC, 0)
	if err != nil {
		fd = -1
	}
	a.fd, a.opened = fd, true
}

// pageStart is where the page of an address begins.
func pageStart(addr uint64) uint64 { return addr &^ uint64(unix.Getpagesize()-1) }
