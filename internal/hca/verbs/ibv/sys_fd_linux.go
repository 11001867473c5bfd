package ibv

import (
	"os"

	"golang.org/x/sys/unix"
)

// DupNonblock sets a descriptor that a library owns non-blocking, so that
// reading it there never waits, and returns a close-on-exec duplicate, which
// the caller owns: wrapped by os.NewFile it waits under the Go runtime's
// poller, and closing it leaves the library's alone.
func DupNonblock(fd int) (int, error) {
	if err := Nonblock(fd); err != nil {
		return -1, err
	}
	dup, err := unix.FcntlInt(uintptr(fd), unix.F_DUPFD_CLOEXEC, 0)
	if err != nil {
		return -1, os.NewSyscallError("fcntl F_DUPFD_CLOEXEC", err)
	}
	return dup, nil
}

// Readable reports whether a descriptor may have something to read, now. It does
// not wait.
func Readable(fd int) bool {
	p := [1]unix.PollFd{{Fd: int32(fd), Events: unix.POLLIN}}
	for {
		n, err := unix.Poll(p[:], 0)
		if err != unix.EINTR { // which it can be though it does not wait
			return n != 0 || err != nil
		}
	}
}

// Nonblock has reads of a descriptor return when there is nothing.
func Nonblock(fd int) error { return os.NewSyscallError("fcntl F_SETFL", unix.SetNonblock(fd, true)) }

// WatchQueue makes a kernel queue (epoll) that does not block. It is readable while a descriptor is that it watches.
func WatchQueue() (int, error) {
	fd, err := unix.EpollCreate1(unix.EPOLL_CLOEXEC)
	if err != nil {
		return -1, os.NewSyscallError("epoll_create1", err)
	}
	if err := Nonblock(fd); err != nil {
		_ = unix.Close(fd)
		return -1, err
	}
	return fd, nil
}

// Watch has a kernel queue watch a descriptor, or not any more.
func Watch(queue, fd int, yes bool) error {
	op := unix.EPOLL_CTL_DEL
	if yes {
		op = unix.EPOLL_CTL_ADD
	}
	return os.NewSyscallError("epoll_ctl", unix.EpollCtl(queue, op, fd, &unix.EpollEvent{Events: unix.EPOLLIN}))
}
