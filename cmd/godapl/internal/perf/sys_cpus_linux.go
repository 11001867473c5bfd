package perf

import (
	"os"
	"os/exec"
	"runtime"

	"golang.org/x/sys/unix"
)

// restricts reports whether processes can be kept on some processors.
const restricts = true

// startOn starts a process on the first n processors of those that this one may use. A
// process inherits them from the thread that starts it.
func startOn(n int, cmd *exec.Cmd) error {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	var all, some unix.CPUSet
	if err := unix.SchedGetaffinity(0, &all); err != nil {
		return os.NewSyscallError("sched_getaffinity", err)
	}
	for cpu := 0; some.Count() < n && cpu < 64*len(all); cpu++ {
		if all.IsSet(cpu) {
			some.Set(cpu)
		}
	}
	if err := unix.SchedSetaffinity(0, &some); err != nil {
		return os.NewSyscallError("sched_setaffinity", err)
	}
	err := cmd.Start()
	if back := unix.SchedSetaffinity(0, &all); err == nil && back != nil {
		err = os.NewSyscallError("sched_setaffinity", back)
	}
	return err
}
