//go:build !linux

package soft

import "net"

func (c *tcpConn) newWire(conn net.Conn) (wire, error) {
	return newPumpWire(conn, c.schedule), nil
}

type poller struct{ rounds *rounds }

func (*poller) close()     {}
func (*poller) look() bool { return false }
