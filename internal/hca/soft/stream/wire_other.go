//go:build !linux

package stream

import (
	"net"

	"github.com/godapl/godapl/internal/hca/soft/stream/wire"
)

func (c *Conn) newWire(conn net.Conn) (wire.Wire, error) {
	return wire.New(conn, c.a.Attrs.Name, c.Schedule), nil
}
