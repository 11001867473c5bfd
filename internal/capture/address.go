package capture

import (
	"fmt"
	"net"
	"net/netip"
)

// For streams that are not TCP, or whose addresses are unknown: addresses reserved for
// documentation (RFC 5737), and ports without a registered protocol.
var (
	madeUpLocal  = netip.MustParseAddr("192.0.2.1")
	madeUpRemote = netip.MustParseAddr("192.0.2.2")
)

const (
	madeUpService = 49151
	madeUpFirst   = 49152
	madeUpPorts   = 16384
)

// addresses returns the addresses of a stream in the capture, and a comment about them.
// number distinguishes the flows of a capture.
func addresses(local, remote net.Addr, active bool, number int) (l, r netip.AddrPort, comment string) {
	l, r = ofTCP(local), ofTCP(remote)
	if l.IsValid() && r.IsValid() && l.Addr().Is4() == r.Addr().Is4() {
		return l, r, ""
	}
	port := uint16(madeUpFirst + number%madeUpPorts)
	mine, its := port, uint16(madeUpService)
	if !active {
		mine, its = its, mine
	}
	l, r = netip.AddrPortFrom(madeUpLocal, mine), netip.AddrPortFrom(madeUpRemote, its)
	return l, r, fmt.Sprintf("The addresses are made up. In truth this stream is from %s to %s.", shown(local), shown(remote))
}

func ofTCP(a net.Addr) netip.AddrPort {
	t, ok := a.(*net.TCPAddr)
	if !ok {
		return netip.AddrPort{}
	}
	p := t.AddrPort()
	return netip.AddrPortFrom(p.Addr().Unmap().WithZone(""), p.Port())
}

func shown(a net.Addr) string {
	if a == nil {
		return "somewhere"
	}
	s := a.Network() + " " + a.String()
	if len(s) > 200 {
		s = s[:200]
	}
	return s
}
