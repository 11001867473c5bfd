//go:build unix

package perf

import "syscall"

// systemUsage is the processor time of this process, in nanoseconds, and the number of
// times that one of its threads gave a processor up or lost it.
func systemUsage() (cpu, switches int64) {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		return 0, 0
	}
	return u.Utime.Nano() + u.Stime.Nano(), int64(u.Nvcsw) + int64(u.Nivcsw)
}
