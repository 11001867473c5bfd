//go:build !linux

package stream

import "net"

// emss is how many bytes one TCP segment carries, at the least that is usual.
func emss(*net.TCPConn) int { return 1448 }
