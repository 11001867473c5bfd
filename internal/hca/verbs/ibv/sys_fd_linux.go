package ibv

import (
	"os"

	"golang.org/x/sys/unix"
)

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
