package progress

import (
	"os"
	"sync/atomic"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"github.com/godapl/godapl/internal/wait"
)

// epollQueue is a kernel queue in Go's poller.
type epollQueue struct {
	file  *os.File
	raw   syscall.RawConn
	fd    int
	look  func(uintptr) bool // what the reader of the queue calls
	round func() bool        // the owner's
	ended atomic.Bool
	ready [16]unix.EpollEvent
}

// newKernelQueue returns nil if the system makes none.
func newKernelQueue() KernelQueue {
	fd, err := unix.EpollCreate1(unix.EPOLL_CLOEXEC)
	if err != nil {
		return nil
	}
	if err := unix.SetNonblock(fd, true); err != nil {
		_ = unix.Close(fd)
		return nil
	}
	q := &epollQueue{file: os.NewFile(uintptr(fd), "epoll"), fd: fd}
	q.raw, err = q.file.SyscallConn()
	if err != nil || q.file.SetReadDeadline(time.Time{}) != nil { // it is not in Go's poller
		_ = q.file.Close()
		return nil
	}
	q.look = func(uintptr) bool { return q.round() }
	return q
}

func (q *epollQueue) Add(fd int) bool {
	ev := unix.EpollEvent{Events: ArmRead | unix.EPOLLET, Fd: int32(fd)}
	return unix.EpollCtl(q.fd, unix.EPOLL_CTL_ADD, fd, &ev) == nil
}

func (q *epollQueue) Remove(fd int) { _ = unix.EpollCtl(q.fd, unix.EPOLL_CTL_DEL, fd, nil) }
func (q *epollQueue) Close()        { _ = q.file.Close() }

// Ready implements KernelQueue.
func (q *epollQueue) Ready(fds []int32) int {
	n, err := unix.EpollWait(q.fd, q.ready[:min(len(fds), len(q.ready))], 0)
	if err != nil {
		return 0
	}
	for i := range n {
		fds[i] = q.ready[i].Fd
	}
	return n
}

// Await sleeps in Go's poller. The kernel wakes the reader of a queue at each arrival, also at one for a
// descriptor that it has reported before, so the events need not be fetched.
func (q *epollQueue) Await(look func() bool) error {
	if q.ended.Load() { // also if Clear has undone the interruption of End
		return os.ErrClosed
	}
	q.round = look
	err := q.raw.Read(q.look)
	if err == os.ErrDeadlineExceeded {
		return wait.ErrInterrupted
	}
	return err
}

// End implements KernelQueue.
func (q *epollQueue) End() {
	q.ended.Store(true)
	q.Interrupt()
}

func (q *epollQueue) Interrupt() { _ = q.file.SetReadDeadline(past) }
func (q *epollQueue) Clear()     { _ = q.file.SetReadDeadline(time.Time{}) }

// past makes every read end.
var past = time.Unix(1, 0)
