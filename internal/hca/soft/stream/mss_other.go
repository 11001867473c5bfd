//go:build !linux

package stream

import "net"

// emss returns the usual minimum for the bytes in one TCP segment.
func emss(*net.TCPConn) int { return 1448 }
