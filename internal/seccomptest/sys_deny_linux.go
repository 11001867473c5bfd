package seccomptest

import (
	"os"
	"runtime"
	"testing"
	"unsafe"

	"golang.org/x/sys/unix"
)

// A Call is a system call that is denied.
type Call struct {
	Number   uint32
	Argument *uint32 // only with that first argument; nil: with any
}

// Without runs f on a thread of its own on which a system call fails with EPERM. f must not end the test. Where there are no
// filters the test is skipped.
func Without(t testing.TB, call uint32, f func()) {
	t.Helper()
	done := make(chan error, 1)
	go func() {
		runtime.LockOSThread() // and never unlocked: the thread ends with the goroutine
		err := DenyThread(Call{Number: call})
		if err == nil {
			f()
		}
		done <- err
	}()
	if err := <-done; err != nil {
		t.Skip("there are no filters here: ", err)
	}
}

// DenyThread makes the calls fail with EPERM on the thread of the caller, which has locked it, and in programs that it becomes.
// That cannot be undone.
func DenyThread(calls ...Call) error { return deny(0, calls) }

// Deny makes the calls fail with EPERM in the whole process. That cannot be undone.
func Deny(calls ...Call) error { return deny(unix.SECCOMP_FILTER_FLAG_TSYNC, calls) }

func deny(flags uintptr, calls []Call) error {
	const first = 16 // offset of the first argument; its lower half comes first
	load := func(at uint32) unix.SockFilter {
		return unix.SockFilter{Code: unix.BPF_LD | unix.BPF_W | unix.BPF_ABS, K: at}
	}
	// unless skips so many instructions if the loaded number is another one.
	unless := func(n uint32, skip uint8) unix.SockFilter {
		return unix.SockFilter{Code: unix.BPF_JMP | unix.BPF_JEQ | unix.BPF_K, K: n, Jf: skip}
	}
	give := func(what uint32) unix.SockFilter { return unix.SockFilter{Code: unix.BPF_RET | unix.BPF_K, K: what} }
	refuse := give(unix.SECCOMP_RET_ERRNO | uint32(unix.EPERM))
	program := []unix.SockFilter{load(0)} // the number of the call
	for _, c := range calls {
		if c.Argument == nil {
			program = append(program, unless(c.Number, 1), refuse)
		} else {
			program = append(program, unless(c.Number, 4), load(first), unless(*c.Argument, 1), refuse, load(0))
		}
	}
	program = append(program, give(unix.SECCOMP_RET_ALLOW))
	f := unix.SockFprog{Len: uint16(len(program)), Filter: &program[0]}
	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		return os.NewSyscallError("prctl", err)
	}
	if _, _, errno := unix.RawSyscall(unix.SYS_SECCOMP, unix.SECCOMP_SET_MODE_FILTER, flags, uintptr(unsafe.Pointer(&f))); errno != 0 {
		return os.NewSyscallError("seccomp", errno)
	}
	return nil
}
