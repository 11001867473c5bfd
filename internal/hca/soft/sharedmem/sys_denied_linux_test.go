package sharedmem_test

import (
	"errors"
	"fmt"
	"os"
	"runtime"

	"golang.org/x/sys/unix"

	"github.com/godapl/godapl/internal/seccomptest"
)

// deny takes something away from this process permanently: "memfd_create" and "eventfd2" are system calls,
// "socket" is Unix sockets, "/proc" is the file system, "large files" are those of more than a MiB.
func deny(what string) error {
	switch what {
	case "memfd_create":
		return forbid(unix.SYS_MEMFD_CREATE, -1)
	case "eventfd2":
		return forbid(unix.SYS_EVENTFD2, -1)
	case "socket":
		if err := forbid(unix.SYS_SOCKET, unix.AF_UNIX); err != nil {
			return err
		}
		if fd, err := unix.Socket(unix.AF_UNIX, unix.SOCK_SEQPACKET, 0); err == nil {
			_ = unix.Close(fd)
			return errors.New("here sockets are made by socketcall(2), and a filter does not see of which family")
		}
		return nil
	case "large files":
		return unix.Setrlimit(unix.RLIMIT_FSIZE, &unix.Rlimit{Cur: 1 << 20, Max: 1 << 20})
	case "/proc":
		empty, err := os.MkdirTemp("", "godapl-test-")
		if err == nil {
			// The directory cannot be removed from inside, so it is removed before.
			err = errors.Join(unix.Chdir(empty), os.Remove(empty), unix.Chroot("."))
		}
		return err
	}
	return fmt.Errorf("unknown: %s", what)
}

// forbid makes a system call fail with EPERM; if argument is not negative, only with that first argument.
func forbid(number uint32, argument int) error {
	c := seccomptest.Call{Number: number}
	if argument >= 0 {
		only := uint32(argument)
		c.Argument = &only
	}
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	return seccomptest.Deny(c)
}
