//go:build !linux

package soft

import "net"

func hasInput(net.Conn) bool { return false }

func awaitInput(net.Conn, func()) {}
