//go:build !linux

package soft

import "net"

// emss is how many octets one TCP segment carries, at the least that is usual.
func emss(*net.TCPConn) int { return 1448 }
