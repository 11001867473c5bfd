//go:build !linux

package stream

import "net"

func (c *Conn) newWire(conn net.Conn) (wire, error) {
	return newPumpWire(conn, c.Schedule), nil
}
