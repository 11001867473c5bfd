package captured

import (
	"errors"
	"syscall"
)

// SyscallConn is that of the stream below, if it is a socket: the adapter asks sockets whether they hold bytes that are
// not read (package accepts). Nobody reads or writes this way.
func (c *stream) SyscallConn() (syscall.RawConn, error) {
	if below, ok := c.Conn.(syscall.Conn); ok {
		return below.SyscallConn()
	}
	return nil, errors.ErrUnsupported
}
