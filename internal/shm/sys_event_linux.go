package shm

import (
	"os"
	"strconv"
	"unsafe"

	"golang.org/x/sys/unix"
)

// NewEvent makes a non-blocking eventfd for a sleeper to park on, in Go's poller or in
// another one.
func NewEvent() (fd int, err error) {
	fd, err = unix.Eventfd(0, unix.EFD_CLOEXEC|unix.EFD_NONBLOCK)
	why := os.NewSyscallError("eventfd2", err)
	switch err {
	case nil:
	case unix.EPERM, unix.EACCES, unix.ENOSYS:
		return -1, fail("make event", ErrDenied, "does a seccomp profile or another rule of the system forbid it?", why)
	default:
		return -1, fail("make event", ErrResources, "no descriptor is left (ulimit -n)", why)
	}
	return fd, nil
}

// CheckEvent checks that a descriptor from a peer is an eventfd, and makes it non-blocking.
// It returns ErrUnfit if it is not: a write to another kind of file might block or change
// data. The peer shares the descriptor and can make it blocking again; then Signal may block
// while the peer does not read, and Drain in kernels before 5.8.
func CheckEvent(fd int) error {
	const op = "open event"
	what, err := os.Readlink("/proc/self/fd/" + strconv.Itoa(fd))
	if err != nil {
		return fail(op, ErrUnsupported, "is /proc mounted?", err)
	}
	if what != "anon_inode:[eventfd]" {
		return fail(op, ErrUnfit, "the peer's descriptor is "+strconv.Quote(what)+" and no eventfd", nil)
	}
	if err := unix.SetNonblock(fd, true); err != nil {
		return fail(op, ErrUnfit, "", err)
	}
	return nil
}

var one uint64 = 1

// Signal makes an event readable, if it is not readable already.
func Signal(fd int) error {
	for {
		_, _, err := unix.Syscall(unix.SYS_WRITE, uintptr(fd), uintptr(unsafe.Pointer(&one)), 8)
		switch err {
		case 0, unix.EAGAIN: // EAGAIN: its counter is full, so it is readable
			return nil
		case unix.EINTR:
		default:
			return fail("signal event", ErrUnfit, "", err)
		}
	}
}

// Drain makes an event unreadable again, and reports whether it was readable. An
// edge-triggered watcher need not call it.
func Drain(fd int) bool {
	var n uint64
	v := unix.Iovec{Base: (*byte)(unsafe.Pointer(&n))}
	v.SetLen(8)
	const here = ^uintptr(0) // at the file's position
	for {
		_, _, err := unix.RawSyscall6(unix.SYS_PREADV2, uintptr(fd), uintptr(unsafe.Pointer(&v)), 1, here, here, unix.RWF_NOWAIT)
		switch err {
		case unix.EINTR:
			continue
		case unix.EOPNOTSUPP, unix.ENOSYS, unix.EINVAL, unix.EPERM: // EPERM: a seccomp filter that does not know the call
			_, _, err = unix.Syscall(unix.SYS_READ, uintptr(fd), uintptr(unsafe.Pointer(&n)), 8)
		}
		return err == 0
	}
}
