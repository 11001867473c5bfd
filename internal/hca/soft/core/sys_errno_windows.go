package core

import (
	"syscall"

	"golang.org/x/sys/windows"
)

// Errors of the network, by their names on this system.
const (
	ErrnoRefused  = windows.WSAECONNREFUSED
	ErrnoReset    = windows.WSAECONNRESET
	ErrnoPipe     = syscall.Errno(10058) // WSAESHUTDOWN
	ErrnoInUse    = windows.WSAEADDRINUSE
	ErrnoNotAvail = windows.WSAEADDRNOTAVAIL
	ErrnoFamily   = windows.WSAEAFNOSUPPORT
	ErrnoAccess   = windows.WSAEACCES
	ErrnoFiles    = windows.WSAEMFILE
	ErrnoAllFiles = windows.WSAENOBUFS
)
