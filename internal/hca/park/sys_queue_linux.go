package park

import (
	"os"
	"sync/atomic"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"github.com/godapl/godapl/internal/wait"
)

// An Epoll is a kernel queue (epoll) in Go's poller: to wait for it takes no thread. It is a wait.Descriptor.
type Epoll struct {
	File  *os.File
	Raw   syscall.RawConn
	FD    int
	look  func(uintptr) bool // what the reader of the queue calls
	round func() bool        // of Await
}

// NewEpoll makes an Epoll.
func NewEpoll() (*Epoll, error) {
	fd, err := unix.EpollCreate1(unix.EPOLL_CLOEXEC)
	if err != nil {
		return nil, os.NewSyscallError("epoll_create1", err)
	}
	if err := unix.SetNonblock(fd, true); err != nil {
		_ = unix.Close(fd)
		return nil, os.NewSyscallError("fcntl", err)
	}
	e := &Epoll{File: os.NewFile(uintptr(fd), "epoll"), FD: fd}
	e.look = func(uintptr) bool { return e.round() }
	if e.Raw, err = e.File.SyscallConn(); err == nil {
		err = e.File.SetReadDeadline(time.Time{}) // it fails if the file is not in Go's poller
	}
	if err != nil {
		_ = e.File.Close()
		return nil, err
	}
	return e, nil
}

// Await sleeps in Go's poller. The kernel wakes the reader of a queue at each arrival, also at one for a
// descriptor that it has reported before, so the events need not be fetched.
func (e *Epoll) Await(look func() bool) error {
	e.round = look
	err := e.Raw.Read(e.look)
	if err == os.ErrDeadlineExceeded {
		return wait.ErrInterrupted
	}
	return err
}

// Interrupt implements wait.Descriptor.
func (e *Epoll) Interrupt() { _ = e.File.SetReadDeadline(past) }

// Clear implements wait.Descriptor.
func (e *Epoll) Clear() { _ = e.File.SetReadDeadline(time.Time{}) }

// past makes every read end.
var past = time.Unix(1, 0)

// epollQueue is a Queue of the kernel's.
type epollQueue struct {
	*Epoll
	ended atomic.Bool
	ready [16]unix.EpollEvent
}

func newQueue() (Queue, error) {
	e, err := NewEpoll()
	if err != nil {
		return nil, err
	}
	return &epollQueue{Epoll: e}, nil
}

// Add implements Queue. The kernel reports each arrival once.
func (q *epollQueue) Add(fd int) error {
	ev := unix.EpollEvent{Events: unix.EPOLLIN | unix.EPOLLRDHUP | unix.EPOLLET, Fd: int32(fd)}
	return os.NewSyscallError("epoll_ctl", unix.EpollCtl(q.FD, unix.EPOLL_CTL_ADD, fd, &ev))
}

func (q *epollQueue) Remove(fd int) { _ = unix.EpollCtl(q.FD, unix.EPOLL_CTL_DEL, fd, nil) }
func (q *epollQueue) Close()        { _ = q.File.Close() }

// Ready implements Queue.
func (q *epollQueue) Ready(fds []int32) int {
	n, err := unix.EpollWait(q.FD, q.ready[:min(len(fds), len(q.ready))], 0)
	if err != nil {
		return 0
	}
	for i := range n {
		fds[i] = q.ready[i].Fd
	}
	return n
}

// Await implements Queue.
func (q *epollQueue) Await(look func() bool) error {
	if q.ended.Load() { // also if Clear has undone the interruption of End
		return os.ErrClosed
	}
	return q.Epoll.Await(look)
}

// End implements Queue.
func (q *epollQueue) End() {
	q.ended.Store(true)
	q.Interrupt()
}
