package stream

import (
	"net"

	"github.com/godapl/godapl/internal/hca/soft/stream/wire"
)

// emss returns how many bytes one TCP segment of the connection carries.
func emss(conn *net.TCPConn) int {
	n := 0
	if raw, err := conn.SyscallConn(); err == nil {
		_ = raw.Control(func(fd uintptr) { n = wire.SegmentSize(int(fd)) })
	}
	if n <= 0 {
		return 1448
	}
	return n
}
