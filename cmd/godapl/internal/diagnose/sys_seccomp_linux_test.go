package diagnose

import (
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"unsafe"

	"golang.org/x/sys/unix"
)

// numbers of the system calls that shared memory between processes uses. Without eventfd2, which it uses as well, no
// program of Go runs.
var numbers = map[string]uint32{
	"memfd_create": unix.SYS_MEMFD_CREATE, "process_vm_readv": unix.SYS_PROCESS_VM_READV, "process_vm_writev": unix.SYS_PROCESS_VM_WRITEV,
}

// runWithout becomes another program, for which these system calls fail with EPERM, as they do in a container. It returns
// if that fails.
func runWithout(calls, args []string) error {
	runtime.LockOSThread() // the filter is the thread's, and stays when it becomes another program
	const (
		load  = unix.BPF_LD | unix.BPF_W | unix.BPF_ABS
		equal = unix.BPF_JMP | unix.BPF_JEQ | unix.BPF_K
		give  = unix.BPF_RET | unix.BPF_K
	)
	program := []unix.SockFilter{{Code: load}} // the number of the call
	for i, call := range calls {
		n, ok := numbers[call]
		if !ok {
			return fmt.Errorf("unknown: %s", call)
		}
		program = append(program, unix.SockFilter{Code: equal, K: n, Jt: uint8(len(calls) - i)})
	}
	program = append(program, unix.SockFilter{Code: give, K: unix.SECCOMP_RET_ALLOW}, unix.SockFilter{Code: give, K: unix.SECCOMP_RET_ERRNO | uint32(unix.EPERM)})
	f := unix.SockFprog{Len: uint16(len(program)), Filter: &program[0]}
	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		return os.NewSyscallError("prctl", err)
	}
	if _, _, errno := unix.Syscall(unix.SYS_SECCOMP, unix.SECCOMP_SET_MODE_FILTER, 0, uintptr(unsafe.Pointer(&f))); errno != 0 {
		return os.NewSyscallError("seccomp", errno)
	}
	if err := os.Unsetenv(denied); err != nil {
		return err
	}
	file, err := exec.LookPath(args[0])
	if err != nil {
		return err
	}
	return os.NewSyscallError("execve", unix.Exec(file, args, os.Environ()))
}
