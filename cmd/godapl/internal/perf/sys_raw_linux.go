package perf

import (
	"io"
	"net"
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"
)

const rawPolls = true

// rawSocket is a socket that the runtime's poller does not know, used by system
// calls that neither block nor tell the scheduler.
type rawSocket struct {
	fd   int
	over <-chan struct{} // closed: calls that wait end
}

// newRawSocket takes the connection over.
func newRawSocket(c net.Conn, over <-chan struct{}) (*rawSocket, error) {
	rc, err := c.(syscall.Conn).SyscallConn()
	if err != nil {
		return nil, err
	}
	s := &rawSocket{fd: -1, over: over}
	var failed error
	err = rc.Control(func(fd uintptr) { s.fd, failed = unix.FcntlInt(fd, unix.F_DUPFD_CLOEXEC, 0) })
	if err == nil {
		err = failed
	}
	if err != nil {
		return nil, err
	}
	return s, c.Close()
}

func (s *rawSocket) Close() error      { return unix.Close(s.fd) }
func (s *rawSocket) CloseWrite() error { return unix.Shutdown(s.fd, unix.SHUT_WR) }

// all repeats a call until it has done all of b.
func (s *rawSocket) all(trap uintptr, b []byte, flags uintptr) error {
	for len(b) > 0 {
		n, err := s.some(trap, b, flags)
		if err != nil {
			return err
		}
		b = b[n:]
	}
	return nil
}

// some repeats a call until it has done anything of b.
func (s *rawSocket) some(trap uintptr, b []byte, flags uintptr) (int, error) {
	for {
		n, _, errno := unix.RawSyscall6(trap, uintptr(s.fd), uintptr(unsafe.Pointer(&b[0])), uintptr(len(b)), flags, 0, 0)
		switch {
		case errno == unix.EAGAIN || errno == unix.EINTR:
			select {
			case <-s.over:
				return 0, net.ErrClosed
			default:
			}
		case errno != 0:
			return 0, errno
		case n == 0:
			return 0, io.EOF
		default:
			return int(n), nil
		}
	}
}

// Read waits for data and takes what is available.
func (s *rawSocket) Read(b []byte) (int, error) {
	return s.some(unix.SYS_RECVFROM, b, unix.MSG_DONTWAIT)
}

func (s *rawSocket) Write(b []byte) (int, error) { return len(b), s.send(b) }

func (s *rawSocket) send(b []byte) error {
	return s.all(unix.SYS_SENDTO, b, unix.MSG_DONTWAIT|unix.MSG_NOSIGNAL)
}

func (s *rawSocket) receive(b []byte) error {
	return s.all(unix.SYS_RECVFROM, b, unix.MSG_DONTWAIT)
}

func rawPoll(s *rawSocket, buf []byte) error {
	if err := s.send(buf); err != nil {
		return err
	}
	return s.receive(buf)
}

func serveRawPoll(c net.Conn, size int, over <-chan struct{}) error {
	s, err := newRawSocket(c, over)
	if err != nil {
		return err
	}
	defer s.Close()
	buf := make([]byte, size)
	for {
		if err := s.receive(buf); err != nil {
			return notEOF(err)
		}
		if err := s.send(buf); err != nil {
			return err
		}
	}
}

func serveRawPolledStream(c net.Conn, size int, over <-chan struct{}) error {
	s, err := newRawSocket(c, over)
	if err != nil {
		return err
	}
	defer s.Close()
	return drainStream(s, size)
}
