package stream

import "syscall"

// The errors that sockets have for these cases, so that code that looks for them goes on working.
var (
	errReset error = syscall.ECONNRESET
	errPipe  error = syscall.EPIPE
)
