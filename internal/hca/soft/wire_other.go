//go:build !linux

package soft

import "net"

func (a *adapter) newWire(conn net.Conn, c *tcpConn) (wire, error) {
	return newPumpWire(conn, c.schedule), nil
}

type poller struct{ rounds *rounds }

func (*poller) close()     {}
func (*poller) look() bool { return false }
