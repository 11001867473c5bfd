package stream

import (
	"net"
	"net/netip"

	"golang.org/x/sys/unix"
)

// uncongested takes the congestion control off a connection that does not leave the
// host, as far as that goes: there is nothing on the way that could be congested,
// and the ones that pace what they send (bbr) cost such a connection a tenth of its
// bandwidth. Every kernel lets everybody choose reno. If it fails, nothing is lost.
func uncongested(conn *net.TCPConn) {
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
