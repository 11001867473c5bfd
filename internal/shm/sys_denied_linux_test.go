package shm_test

import (
	"os"
	"runtime"
	"testing"
	"unsafe"

	"golang.org/x/sys/unix"

	"github.com/godapl/godapl/internal/shm"
)

// without runs f on a thread of its own for which a filter denies a system call, as that of an old container does.
func without(t *testing.T, call uint32, f func()) {
	t.Helper()
	done := make(chan error, 1)
	go func() {
		runtime.LockOSThread() // and never unlocked: the thread ends with the goroutine
		err := deny(call)
		if err == nil {
			f()
		}
		done <- err
	}()
	if err := <-done; err != nil {
		t.Skip("there are no filters here: ", err)
	}
}

func deny(call uint32) error {
	program := []unix.SockFilter{
		{Code: unix.BPF_LD | unix.BPF_W | unix.BPF_ABS}, // the number of the call
		{Code: unix.BPF_JMP | unix.BPF_JEQ | unix.BPF_K, K: call, Jf: 1},
		{Code: unix.BPF_RET | unix.BPF_K, K: unix.SECCOMP_RET_ERRNO | uint32(unix.EPERM)},
		{Code: unix.BPF_RET | unix.BPF_K, K: unix.SECCOMP_RET_ALLOW},
	}
	f := unix.SockFprog{Len: uint16(len(program)), Filter: &program[0]}
	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		return os.NewSyscallError("prctl", err)
	}
	if _, _, errno := unix.RawSyscall(unix.SYS_SECCOMP, unix.SECCOMP_SET_MODE_FILTER, 0, uintptr(unsafe.Pointer(&f))); errno != 0 {
		return os.NewSyscallError("seccomp", errno)
	}
	return nil
}

// TestDrainBehindAFilter that knows no preadv2: without a drain a thread that polls the event would never sleep again.
func TestDrainBehindAFilter(t *testing.T) {
	fd := made(shm.NewEvent())(t)
	defer unix.Close(fd)
	must(t, shm.Signal(fd))
	without(t, unix.SYS_PREADV2, func() {
		if !shm.Drain(fd) || shm.Drain(fd) {
			t.Error("one signal was not drained once")
		}
	})
}
