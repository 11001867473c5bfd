package fence

import "golang.org/x/sys/unix"

// Commands of membarrier(2). The expedited kind interrupts the processors that run
// threads of registered processes, and takes less than a microsecond; the other kind waits
// for milliseconds.
const (
	barrierGlobal   = 1 << 1 // MEMBARRIER_CMD_GLOBAL_EXPEDITED
	barrierRegister = 1 << 2 // MEMBARRIER_CMD_REGISTER_GLOBAL_EXPEDITED
)

func register() bool {
	can, _, err := unix.RawSyscall(unix.SYS_MEMBARRIER, 0, 0, 0)
	if err != 0 || can&barrierGlobal == 0 || can&barrierRegister == 0 {
		return false
	}
	_, _, err = unix.Syscall(unix.SYS_MEMBARRIER, barrierRegister, 0, 0)
	return err == 0 && Barrier()
}

// Barrier puts a full fence into all threads that run, of this process and of others that
// have registered. It reports whether the kernel did.
func Barrier() bool {
	_, _, err := unix.RawSyscall(unix.SYS_MEMBARRIER, barrierGlobal, 0, 0)
	return err == 0
}
