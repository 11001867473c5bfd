package soft

import (
	"syscall"

	"golang.org/x/sys/windows"
)

// What the network says, by the names it has here.
const (
	errnoRefused  = windows.WSAECONNREFUSED
	errnoReset    = windows.WSAECONNRESET
	errnoPipe     = syscall.Errno(10058) // WSAESHUTDOWN
	errnoInUse    = windows.WSAEADDRINUSE
	errnoNotAvail = windows.WSAEADDRNOTAVAIL
	errnoFamily   = windows.WSAEAFNOSUPPORT
	errnoAccess   = windows.WSAEACCES
	errnoFiles    = windows.WSAEMFILE
	errnoAllFiles = windows.WSAENOBUFS
)
