package sharedmem_test

import (
	"errors"
	"fmt"
	"os"
	"runtime"
	"unsafe"

	"golang.org/x/sys/unix"
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
		return forbid(unix.SYS_SOCKET, unix.AF_UNIX)
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

// forbid makes a system call fail with EPERM, in all threads; if argument is not negative, only with that first
// argument.
func forbid(number uintptr, argument int) error {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		return os.NewSyscallError("prctl", err)
	}
	const (
		load   = unix.BPF_LD | unix.BPF_W | unix.BPF_ABS
		equal  = unix.BPF_JMP | unix.BPF_JEQ | unix.BPF_K
		give   = unix.BPF_RET | unix.BPF_K
		first  = 16 // offset of the first argument; its lower half comes first
		allow  = 0x7fff0000
		refuse = 0x00050000 | uint32(unix.EPERM)
	)
	program := []unix.SockFilter{{Code: load}, {Code: equal, K: uint32(number), Jf: 2}, {Code: load, K: first}, {Code: equal, K: uint32(argument), Jt: 1}, {Code: give, K: allow}, {Code: give, K: refuse}}
	if argument < 0 {
		program = []unix.SockFilter{{Code: load}, {Code: equal, K: uint32(number), Jt: 1}, {Code: give, K: allow}, {Code: give, K: refuse}}
	}
	f := unix.SockFprog{Len: uint16(len(program)), Filter: &program[0]}
	const filter, allThreads = 1, 1
	if _, _, errno := unix.Syscall(unix.SYS_SECCOMP, filter, allThreads, uintptr(unsafe.Pointer(&f))); errno != 0 {
		return os.NewSyscallError("seccomp", errno)
	}
	return nil
}
