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
	if err := unix.SetNonblock(fd, true); err != nil {
		return -1, os.NewSyscallError("fcntl F_SETFL", err)
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
