package park

import (
	"os"
	"runtime"
	"sync"
	"sync/atomic"
	"syscall"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"

	"github.com/godapl/godapl/internal/wait"
)

// A nearQueue watches one descriptor. Its owner first sleeps on its own thread, in poll(2), as a program of C does: the
// thread that the kernel wakes goes on at once, while an arrival in Go's poller wakes a thread that must find the
// goroutine and may wake others. That is for answers that come soon. A thread that sleeps keeps its processor of Go from
// other goroutines, so it sleeps for nearTime at most, and only while that pays (see wait.Pace). One processor is left for
// others.
type nearQueue struct {
	*epollQueue
	pace   wait.Pace
	fds    [2]unix.PollFd // the descriptor, and bell; the owner's
	bell   *os.File       // an eventfd that wakes a thread; a file, since Interrupt may come late
	near   atomic.Bool    // the owner sleeps on its thread, or is about to
	kicked atomic.Bool    // interrupted, and not cleared
	count  [8]byte        // what is read from bell

	mu      sync.Mutex
	fd      int  // -1: none
	watched bool // fd is in the kernel queue
}

const nearTime = time.Millisecond

// nearMost is how often the owner sleeps on its thread until what it waits for has come: a device may report first what
// nobody waits for, such as the end of a write. It is bounded because an error of the descriptor wakes at once, always.
const nearMost = 8

// threads counts the owners that sleep on their threads.
var threads atomic.Int32

func newNearQueue() (Queue, error) {
	q, err := newQueue()
	if err != nil {
		return nil, err
	}
	bell, err := unix.Eventfd(0, unix.EFD_CLOEXEC)
	if err != nil {
		q.Close()
		return nil, os.NewSyscallError("eventfd", err)
	}
	near := &nearQueue{epollQueue: q.(*epollQueue), bell: os.NewFile(uintptr(bell), "eventfd"), fd: -1}
	near.fds[1] = unix.PollFd{Fd: int32(bell), Events: unix.POLLIN}
	return near, nil
}

// Add implements Queue.
func (q *nearQueue) Add(fd int) error {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.fd = fd
	return q.enter()
}

// Remove implements Queue.
func (q *nearQueue) Remove(int) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.leave()
	q.fd = -1
}

// enter has the kernel queue watch the descriptor. The caller holds mu.
func (q *nearQueue) enter() error {
	if q.watched || q.fd < 0 {
		return nil
	}
	err := q.epollQueue.Add(q.fd)
	q.watched = err == nil
	return err
}

// leave is the opposite: an arrival would wake Go's poller, too. The caller holds mu.
func (q *nearQueue) leave() {
	if q.watched {
		q.epollQueue.Remove(q.fd)
		q.watched = false
	}
}

// Await implements Queue.
func (q *nearQueue) Await(look func() bool) error {
	switch {
	case q.ended.Load():
		return os.ErrClosed
	case q.kicked.Load():
		return wait.ErrInterrupted
	}
	if q.pace.Try() {
		over := false
		if threads.Add(1) < int32(runtime.GOMAXPROCS(0)) {
			over = q.awaitNear(look)
		}
		threads.Add(-1)
		switch {
		case over:
			return nil
		case q.kicked.Load(): // after near was stored
			return wait.ErrInterrupted
		}
	}
	q.mu.Lock()
	err := q.enter()
	q.mu.Unlock()
	if err != nil {
		return err
	}
	return q.epollQueue.Await(look)
}

// awaitNear sleeps on the thread. It reports whether look has returned true.
func (q *nearQueue) awaitNear(look func() bool) bool {
	q.mu.Lock()
	q.leave()
	q.fds[0] = unix.PollFd{Fd: int32(q.fd), Events: unix.POLLIN}
	q.mu.Unlock()
	q.near.Store(true) // before it loads kicked
	defer q.near.Store(false)
	for range nearMost {
		if look() {
			return true
		}
		if q.kicked.Load() {
			return false
		}
		n, e := q.poll()
		if e == unix.EINTR {
			continue
		}
		if e != 0 {
			return false
		}
		if q.fds[1].Revents != 0 {
			_, _ = q.bell.Read(q.count[:])
			return false
		}
		q.pace.Done(n > 0)
		if n == 0 {
			return false
		}
	}
	return look()
}

// poll sleeps until there is input, for nearTime at most. Go's scheduler does not hear of it: it would start other threads
// for the processor of Go, and wake its monitor at the end, which takes longer than the answer. When it wants the thread,
// for the garbage collector, it sends a signal, which ends the sleep.
func (q *nearQueue) poll() (n int, e syscall.Errno) {
	limit := unix.NsecToTimespec(int64(nearTime))
	r, _, e := unix.RawSyscall6(unix.SYS_PPOLL, uintptr(unsafe.Pointer(&q.fds)), uintptr(len(q.fds)), uintptr(unsafe.Pointer(&limit)), 0, 0, 0)
	return int(r), e
}

// Interrupt implements Queue.
func (q *nearQueue) Interrupt() {
	q.kicked.Store(true) // before it loads near
	if !q.near.Load() {
		q.epollQueue.Interrupt()
		return
	}
	_, _ = q.bell.Write(once[:])
}

var once = [8]byte{0: 1, 7: 1} // not 0 in either order of bytes

// Clear implements Queue.
func (q *nearQueue) Clear() {
	q.kicked.Store(false)
	q.epollQueue.Clear()
}

// End implements Queue.
func (q *nearQueue) End() {
	q.ended.Store(true)
	q.Interrupt()
}

// Close implements Queue.
func (q *nearQueue) Close() {
	q.epollQueue.Close()
	_ = q.bell.Close()
}
