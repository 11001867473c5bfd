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
	l, r = madeUp(active, number)
	return l, r, fmt.Sprintf("The addresses are made up. In truth this stream is from %s to %s.", shown(local), shown(remote))
}

func madeUp(active bool, number int) (l, r netip.AddrPort) {
	port := uint16(madeUpFirst + number%madeUpPorts)
	mine, its := port, uint16(madeUpService)
	if !active {
		mine, its = its, mine
	}
	return netip.AddrPortFrom(madeUpLocal, mine), netip.AddrPortFrom(madeUpRemote, its)
}

// ends are the addresses of a flow, its own first.
type ends [2]netip.AddrPort

// apart gives a flow addresses that no other live one has. An adapter that connects to itself has both ends of the
// connection in its capture, and readers know a connection by its addresses. The caller holds f.mu.
func (f *File) apart(fl *Flow, l, r netip.AddrPort) (mine, its netip.AddrPort) {
	if fl.comment != "" {
		return l, r
	}
	if f.live[ends{r, l}] {
		fl.comment = fmt.Sprintf("The other end of a connection that is in this capture. Its addresses are made up: in truth it is from %v to %v.", l, r)
		return madeUp(fl.active, f.flows)
	}
	fl.ends = ends{l, r}
	f.live[fl.ends] = true
	return l, r
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
