package progress

import (
	"syscall"

	"golang.org/x/sys/unix"
)

// rawOf gives what is below a connection, or nil where that cannot be had.
func rawOf(conn any) syscall.RawConn {
	c, ok := conn.(syscall.Conn)
	if !ok {
		return nil
	}
	raw, err := c.SyscallConn()
	if err != nil {
		return nil
	}
	return raw
}

// HasInput tells whether a connection holds bytes that nobody has read, where that
// can be told.
func HasInput(conn any) bool {
	raw := rawOf(conn)
	if raw == nil {
		return false
	}
	n, err := 0, error(nil)
	gone := raw.Control(func(fd uintptr) { n, err = unix.IoctlGetInt(int(fd), unix.TIOCINQ) })
	return gone == nil && err == nil && n > 0
}

// AwaitInput calls f when the connection has bytes, or has ended, and leaves them
// there. It returns at its deadline at the latest.
func AwaitInput(conn any, f func()) {
	raw := rawOf(conn)
	if raw == nil {
		return
	}
	_ = raw.Read(func(fd uintptr) bool {
		var one [1]byte
		if _, _, err := unix.Recvfrom(int(fd), one[:], unix.MSG_PEEK|unix.MSG_DONTWAIT); err == unix.EAGAIN {
			return false
		}
		f()
		return true
	})
}
