package soft

import (
	"net"

	"golang.org/x/sys/unix"
)

// hasInput tells whether a stream holds octets that nobody has read, where that can be
// told.
func hasInput(conn net.Conn) bool {
	t, ok := conn.(*net.TCPConn)
	if !ok {
		return false
	}
	raw, err := t.SyscallConn()
	if err != nil {
		return false
	}
	n := 0
	err = raw.Control(func(fd uintptr) { n, _ = unix.IoctlGetInt(int(fd), unix.TIOCINQ) })
	return err == nil && n > 0
}

// awaitInput calls f when the stream has octets, or has ended, and leaves them there.
// It returns at the deadline of the stream at the latest.
func awaitInput(conn net.Conn, f func()) {
	t, ok := conn.(*net.TCPConn)
	if !ok {
		return
	}
	raw, err := t.SyscallConn()
	if err != nil {
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
