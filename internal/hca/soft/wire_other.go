//go:build !linux

package soft

import "net"

func (c *tcpConn) newWire(conn net.Conn) (wire, error) {
	return newPumpWire(conn, c.schedule), nil
}
