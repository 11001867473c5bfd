package shm

import (
	"sync"

	"golang.org/x/sys/unix"
)

// Commands of membarrier(2).
const (
	barrierGlobal   = 1 << 1 // MEMBARRIER_CMD_GLOBAL_EXPEDITED
	barrierRegister = 1 << 2 // MEMBARRIER_CMD_REGISTER_GLOBAL_EXPEDITED
)

// registered asks the kernel once. The expedited kind interrupts the processors
// that run threads of registered processes, and takes less than a microsecond; the
// other kind waits for milliseconds.
var registered = sync.OnceValue(func() bool {
	can, _, err := unix.RawSyscall(unix.SYS_MEMBARRIER, 0, 0, 0)
	if err != 0 || can&barrierGlobal == 0 || can&barrierRegister == 0 {
		return false
	}
	_, _, err = unix.Syscall(unix.SYS_MEMBARRIER, barrierRegister, 0, 0)
	return err == 0 && barrier()
})

func barrier() bool {
	_, _, err := unix.RawSyscall(unix.SYS_MEMBARRIER, barrierGlobal, 0, 0)
	return err == 0
}
