package diagnose

import (
	"fmt"
	"os"
	"os/exec"
	"runtime"

	"golang.org/x/sys/unix"

	"github.com/godapl/godapl/internal/seccomptest"
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
	var deny []seccomptest.Call
	for _, call := range calls {
		n, ok := numbers[call]
		if !ok {
			return fmt.Errorf("unknown: %s", call)
		}
		deny = append(deny, seccomptest.Call{Number: n})
	}
	if err := seccomptest.DenyThread(deny...); err != nil {
		return err
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
