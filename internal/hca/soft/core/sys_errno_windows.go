package core

import (
	"syscall"

	"golang.org/x/sys/windows"
)

// What the network says, by the names it has here.
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
