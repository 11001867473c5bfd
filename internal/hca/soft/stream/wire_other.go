//go:build !linux

package stream

import (
	"net"

	"github.com/godapl/godapl/internal/hca/soft/stream/wire"
)

// emss returns the usual minimum for the bytes in one TCP segment.
func emss(*net.TCPConn) int { return 1448 }

func (c *Conn) newWire(conn net.Conn) (wire.Wire, error) {
	return wire.New(conn, c.a.Attrs.Name, c.Schedule), nil
}
