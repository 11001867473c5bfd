//go:build !windows

package errno

import "syscall"

// Errors of the network, by their names on this system.
const (
	Refused  = syscall.ECONNREFUSED
	Reset    = syscall.ECONNRESET
	Pipe     = syscall.EPIPE
	InUse    = syscall.EADDRINUSE
	NotAvail = syscall.EADDRNOTAVAIL
	Family   = syscall.EAFNOSUPPORT
	Access   = syscall.EACCES
	Files    = syscall.EMFILE
	AllFiles = syscall.ENFILE
)
