//go:build !windows

package wire

import "syscall"

// shareable lets a listener use a port that the system has chosen for a connection of this process, because
// most of these ports can also be services. A closed connection keeps its port for a minute.
func shareable(_, _ string, c syscall.RawConn) error {
	return c.Control(func(fd uintptr) {
		// After an error, the port is not shared.
		_ = syscall.SetsockoptInt(int(fd), syscall.SOL_SOCKET, syscall.SO_REUSEADDR, 1)
	})
}
