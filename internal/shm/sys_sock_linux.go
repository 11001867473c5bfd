package shm

import (
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

// oobSize has room for more than MaxFDs descriptors, so that a message with too many is
// detected.
const oobSize = 64

func here(string) error { return nil }

// named fails if the system does not tell the names of sockets, as where a filter of system calls denies that: package net
// panics then while it makes a listener.
func named(_, _ string, c syscall.RawConn) error {
	var err error
	if cerr := c.Control(func(fd uintptr) { _, err = unix.Getsockname(int(fd)) }); cerr != nil {
		return cerr
	}
	return os.NewSyscallError("getsockname", err)
}

func peerOf(op string, c *net.UnixConn) (Credentials, error) {
	raw, err := c.SyscallConn()
	if err != nil {
		return Credentials{}, fail(op, ErrClosed, "", err)
	}
	var cred *unix.Ucred
	var credErr error
	if err := raw.Control(func(fd uintptr) {
		cred, credErr = unix.GetsockoptUcred(int(fd), unix.SOL_SOCKET, unix.SO_PEERCRED)
	}); err != nil {
		return Credentials{}, fail(op, ErrClosed, "", err)
	}
	if credErr != nil {
		return Credentials{}, fail(op, ErrUnsupported, "the kernel does not say whose the other end is", credErr)
	}
	return Credentials{PID: int(cred.Pid), UID: int(cred.Uid)}, nil
}

func rights(op string, b []byte, fds []int) ([]byte, error) {
	if len(b) == 0 || len(fds) > MaxFDs {
		return nil, fail(op, ErrInvalid, fmt.Sprintf("%d bytes with %d descriptors: it takes 1 byte and at most %d descriptors", len(b), len(fds), MaxFDs), nil)
	}
	if len(fds) == 0 {
		return nil, nil
	}
	return unix.UnixRights(fds...), nil
}

// received takes the descriptors out of a received message, and checks the message.
func received(op string, n int, oob []byte, flags int) ([]int, error) {
	var fds []int
	parts, parseErr := unix.ParseSocketControlMessage(oob)
	for i := range parts {
		if got, err := unix.ParseUnixRights(&parts[i]); err == nil {
			fds = append(fds, got...)
		}
	}
	var err error
	switch {
	case flags&unix.MSG_CTRUNC != 0 && len(fds) <= MaxFDs:
		err = fail(op, ErrResources, "not all of the peer's descriptors could be taken: no room (ulimit -n)", nil)
	case len(fds) > MaxFDs || flags&unix.MSG_CTRUNC != 0:
		err = fail(op, ErrUnfit, fmt.Sprintf("more than %d descriptors", MaxFDs), nil)
	case flags&unix.MSG_TRUNC != 0:
		err = fail(op, ErrUnfit, "the message is too long", nil)
	case parseErr != nil:
		err = fail(op, ErrUnfit, "", parseErr)
	case n == 0:
		err = io.EOF // messages have at least a byte, with or without descriptors
	default:
		return fds, nil
	}
	CloseFDs(fds)
	return nil, err
}

// dup duplicates a socket's descriptor.
func dup(c *net.UnixConn) (int, error) {
	const op = "detach socket"
	raw, err := c.SyscallConn()
	if err != nil {
		return -1, fail(op, ErrClosed, "", err)
	}
	fd, dupErr := -1, error(nil)
	if err := raw.Control(func(old uintptr) {
		fd, dupErr = unix.FcntlInt(old, unix.F_DUPFD_CLOEXEC, 1)
	}); err != nil {
		return -1, fail(op, ErrClosed, "", err)
	}
	if dupErr != nil {
		return -1, fail(op, ErrResources, "no descriptor is left (ulimit -n)", dupErr)
	}
	return fd, nil
}

// SendFD is [Sock.Send] on a detached socket. It does not block: ErrAgain if there
// is no room.
func SendFD(fd int, b []byte, fds ...int) error {
	const op = "send on this host"
	oob, err := rights(op, b, fds)
	if err != nil {
		return err
	}
	err = retry(func() error { return unix.Sendmsg(fd, b, oob, nil, unix.MSG_DONTWAIT|unix.MSG_NOSIGNAL) })
	if err != nil {
		return sockError(op, "", err, err)
	}
	return nil
}

// RecvFD is [Sock.Recv] on a detached socket. It does not block: ErrAgain if there
// is nothing.
func RecvFD(fd int, b []byte) (n int, fds []int, err error) {
	const op = "receive on this host"
	var oob [oobSize]byte
	var oobn, flags int
	err = retry(func() (err error) {
		n, oobn, flags, _, err = unix.Recvmsg(fd, b, oob[:], unix.MSG_DONTWAIT|unix.MSG_CMSG_CLOEXEC)
		return err
	})
	if err != nil {
		return 0, nil, sockError(op, "", err, err)
	}
	if fds, err = received(op, n, oob[:oobn], flags); err != nil {
		return 0, nil, err
	}
	return n, fds, nil
}

// netError converts an error of package net to the package's errors.
func netError(op, name string, err error) error {
	switch {
	case errors.Is(err, net.ErrClosed):
		return fail(op, ErrClosed, name, err)
	case errors.Is(err, os.ErrDeadlineExceeded):
		return fail(op, ErrAgain, name, err)
	}
	var number unix.Errno
	errors.As(err, &number)
	return sockError(op, name, number, err)
}

func sockError(op, name string, number, err error) error {
	switch number {
	case unix.ECONNREFUSED:
		return fail(op, ErrNobody, name, err)
	case unix.EADDRINUSE:
		return fail(op, ErrInUse, name, err)
	case unix.EAGAIN:
		return fail(op, ErrAgain, name, err)
	case unix.EPIPE, unix.ECONNRESET, unix.ENOTCONN:
		return fail(op, ErrGone, name, err)
	case unix.EMFILE, unix.ENFILE, unix.ENOBUFS, unix.ENOMEM, unix.ETOOMANYREFS:
		return fail(op, ErrResources, name, err)
	case unix.EMSGSIZE:
		return fail(op, ErrInvalid, name, err)
	case unix.EPERM, unix.EACCES:
		return fail(op, ErrDenied, name, err)
	case unix.EPROTONOSUPPORT, unix.EAFNOSUPPORT, unix.ESOCKTNOSUPPORT:
		return fail(op, ErrUnsupported, name, err)
	}
	return fail(op, ErrUnfit, name, err)
}

// SyscallConn returns the socket itself, to check whether anything has arrived.
func (s *Sock) SyscallConn() (syscall.RawConn, error) { return s.c.SyscallConn() }
