//go:build !windows

package soft

import "syscall"

// What the network says, by the names it has here.
const (
	errnoRefused  = syscall.ECONNREFUSED
	errnoReset    = syscall.ECONNRESET
	errnoPipe     = syscall.EPIPE
	errnoInUse    = syscall.EADDRINUSE
	errnoNotAvail = syscall.EADDRNOTAVAIL
	errnoFamily   = syscall.EAFNOSUPPORT
	errnoAccess   = syscall.EACCES
	errnoFiles    = syscall.EMFILE
	errnoAllFiles = syscall.ENFILE
)
