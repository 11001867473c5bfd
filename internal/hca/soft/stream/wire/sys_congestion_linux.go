package wire

import (
	"net"
	"net/netip"

	"golang.org/x/sys/unix"
)

// Uncongested replaces the congestion control of a connection within the host, if the system allows that:
// nothing on its way can be congested, and an algorithm that paces what it sends (bbr) costs such a connection
// a tenth of its bandwidth. Every kernel lets every process choose reno. A failure costs only speed.
func Uncongested(conn *net.TCPConn) {
	here, ok := addrPort(conn.LocalAddr())
	there, ok2 := addrPort(conn.RemoteAddr())
	if !ok || !ok2 || here.Addr().Unmap() != there.Addr().Unmap() {
		return
	}
	if raw, err := conn.SyscallConn(); err == nil {
		_ = raw.Control(func(fd uintptr) {
			_ = unix.SetsockoptString(int(fd), unix.IPPROTO_TCP, unix.TCP_CONGESTION, "reno")
		})
	}
}

func addrPort(a net.Addr) (netip.AddrPort, bool) {
	t, ok := a.(*net.TCPAddr)
	if !ok {
		return netip.AddrPort{}, false
	}
	return t.AddrPort(), true
}
