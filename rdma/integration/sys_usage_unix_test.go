//go:build unix

package integration_test

import (
	"time"

	"golang.org/x/sys/unix"
)

// processorTime is what this process has used, in user and system mode.
func processorTime() (time.Duration, bool) {
	var u unix.Rusage
	if unix.Getrusage(unix.RUSAGE_SELF, &u) != nil {
		return 0, false
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano()), true
}
