//go:build !windows

package stream

import "syscall"

// shareable lets a listener have the port that the system has chosen for a
// connection of ours, as most of these ports can be services too. A connection that
// has ended keeps its port for a minute.
func shareable(_, _ string, c syscall.RawConn) error {
	return c.Control(func(fd uintptr) {
		// An error: then it is as without.
		_ = syscall.SetsockoptInt(int(fd), syscall.SOL_SOCKET, syscall.SO_REUSEADDR, 1)
	})
}
