//go:build !windows

package core

import "syscall"

// What the network says, by the names it has here.
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
