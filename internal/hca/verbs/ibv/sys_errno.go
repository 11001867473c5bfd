package ibv

import "syscall"

// Errno is an error number of the system. Zero means that the call succeeded;
// compare with zero before using one as an error.
type Errno = syscall.Errno

// The error numbers that callers tell apart.
const (
	EPERM           = syscall.EPERM
	ENOENT          = syscall.ENOENT
	EINTR           = syscall.EINTR
	EIO             = syscall.EIO
	EAGAIN          = syscall.EAGAIN
	ENOMEM          = syscall.ENOMEM
	EACCES          = syscall.EACCES
	EFAULT          = syscall.EFAULT
	EBUSY           = syscall.EBUSY
	EEXIST          = syscall.EEXIST
	ENODEV          = syscall.ENODEV
	EINVAL          = syscall.EINVAL
	EMFILE          = syscall.EMFILE
	ENFILE          = syscall.ENFILE
	ENOSPC          = syscall.ENOSPC
	ENOSYS          = syscall.ENOSYS
	ENODATA         = syscall.ENODATA
	EPROTO          = syscall.EPROTO
	EOPNOTSUPP      = syscall.EOPNOTSUPP
	EAFNOSUPPORT    = syscall.EAFNOSUPPORT
	EADDRINUSE      = syscall.EADDRINUSE
	EADDRNOTAVAIL   = syscall.EADDRNOTAVAIL
	ENETDOWN        = syscall.ENETDOWN
	ENETUNREACH     = syscall.ENETUNREACH
	ECONNABORTED    = syscall.ECONNABORTED
	ECONNRESET      = syscall.ECONNRESET
	EISCONN         = syscall.EISCONN
	ENOTCONN        = syscall.ENOTCONN
	ETIMEDOUT       = syscall.ETIMEDOUT
	ECONNREFUSED    = syscall.ECONNREFUSED
	EHOSTDOWN       = syscall.EHOSTDOWN
	EHOSTUNREACH    = syscall.EHOSTUNREACH
	EPROTONOSUPPORT = syscall.EPROTONOSUPPORT
)
