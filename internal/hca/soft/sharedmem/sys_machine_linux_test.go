package sharedmem

import (
	"golang.org/x/sys/unix"
)

// readable reports whether there is something to read, or an end.
func readable(fd int) bool {
	p := []unix.PollFd{{Fd: int32(fd), Events: unix.POLLIN}}
	n, _ := unix.Poll(p, 0)
	return n > 0 && p[0].Revents != 0
}

// hangUp ends a socket, as the end of its process does.
func hangUp(fd int) { _ = unix.Shutdown(fd, unix.SHUT_RDWR) }
