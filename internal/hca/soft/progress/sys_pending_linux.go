package progress

import (
	"syscall"

	"golang.org/x/sys/unix"
)

// rawOf returns the raw connection below conn; nil if there is none.
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

// HasInput reports whether a connection holds unread bytes. It returns false where that cannot be known.
func HasInput(conn any) bool {
	raw := rawOf(conn)
	if raw == nil {
		return false
	}
	n, err := 0, error(nil)
	gone := raw.Control(func(fd uintptr) { n, err = unix.IoctlGetInt(int(fd), unix.TIOCINQ) })
	return gone == nil && err == nil && n > 0
}

// AwaitInput calls f when the connection has bytes, or has ended, and does not read them. It returns at the
// connection's deadline at the latest.
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
