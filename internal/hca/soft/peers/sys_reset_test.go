package peers_test

import (
	"errors"
	"syscall"
)

// isReset is whether a stream was ended by a TCP reset.
func isReset(err error) bool {
	return errors.Is(err, syscall.ECONNRESET) || errors.Is(err, syscall.EPIPE)
}

// processTime is the processor time that this process has used, in
// microseconds.
func processTime() int64 {
	var u syscall.Rusage
	_ = syscall.Getrusage(syscall.RUSAGE_SELF, &u)
	return u.Utime.Nano()/1000 + u.Stime.Nano()/1000
}
