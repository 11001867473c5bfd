package sharedmem

import (
	"golang.org/x/sys/unix"
)

// socketPair returns the two ends of a socket as the handshake leaves them.
func socketPair() (a, b int, err error) {
	fds, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_SEQPACKET|unix.SOCK_CLOEXEC|unix.SOCK_NONBLOCK, 0)
	return fds[0], fds[1], err
}

// duplicate returns another descriptor of the same file, as the other process gets.
func duplicate(fd int) (int, error) { return unix.FcntlInt(uintptr(fd), unix.F_DUPFD_CLOEXEC, 0) }

// readable reports whether there is something to read, or an end.
func readable(fd int) bool {
	p := []unix.PollFd{{Fd: int32(fd), Events: unix.POLLIN}}
	n, _ := unix.Poll(p, 0)
	return n > 0 && p[0].Revents != 0
}

// hangUp ends a socket, as the end of its process does.
func hangUp(fd int) { _ = unix.Shutdown(fd, unix.SHUT_RDWR) }
