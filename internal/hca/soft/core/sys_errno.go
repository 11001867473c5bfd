//go:build !windows

package core

import "syscall"

// Errors of the network, by their names on this system.
const (
	ErrnoRefused  = syscall.ECONNREFUSED
	ErrnoReset    = syscall.ECONNRESET
	ErrnoPipe     = syscall.EPIPE
	ErrnoInUse    = syscall.EADDRINUSE
	ErrnoNotAvail = syscall.EADDRNOTAVAIL
	ErrnoFamily   = syscall.EAFNOSUPPORT
	ErrnoAccess   = syscall.EACCES
	ErrnoFiles    = syscall.EMFILE
	ErrnoAllFiles = syscall.ENFILE
)
