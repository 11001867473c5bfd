package errno

import (
	"syscall"

	"golang.org/x/sys/windows"
)

// Errors of the network, by their names on this system.
const (
	Refused  = windows.WSAECONNREFUSED
	Reset    = windows.WSAECONNRESET
	Pipe     = syscall.Errno(10058) // WSAESHUTDOWN
	InUse    = windows.WSAEADDRINUSE
	NotAvail = windows.WSAEADDRNOTAVAIL
	Family   = windows.WSAEAFNOSUPPORT
	Access   = windows.WSAEACCES
	Files    = windows.WSAEMFILE
	AllFiles = windows.WSAENOBUFS
)
