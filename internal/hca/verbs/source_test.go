package verbs

import (
	"net/netip"
	"testing"
)

// A device may have addresses in several networks. The peer may know no way to the others.
func TestSourceIsInThePeersNetwork(t *testing.T) {
	a := &adapter{port: 1}
	for _, l := range []struct {
		ip   string
		port uint8
		bits int
	}{
		{"10.1.0.1", 1, 16}, {"10.2.0.1", 1, 16}, {"10.4.0.1", 2, 16},
		{"2001:db8:1::1", 1, 64}, {"2001:db8:2::1", 1, 64}, {"fe80::1%a", 1, 64}, {"fe80::1%b", 1, 64},
	} {
		ip := netip.MustParseAddr(l.ip)
		a.addrs = append(a.addrs, local{ip, l.port, netip.PrefixFrom(ip, l.bits)})
	}
	for _, c := range []struct{ to, routed, want string }{
		{"10.1.0.9", "", "10.1.0.1"},
		{"10.2.0.9", "", "10.2.0.1"},
		{"10.2.0.9", "10.9.0.1", "10.2.0.1"}, // the system would use another device
		{"10.3.0.9", "10.2.0.1", "10.2.0.1"}, // behind a router
		{"10.3.0.9", "", "10.1.0.1"},
		{"10.4.0.9", "10.4.0.1", "10.1.0.1"}, // of another port
		{"2001:db8:2::9", "", "2001:db8:2::1"},
		{"2001:db8:3::9", "", "2001:db8:1::1"},
		{"fe80::9%b", "", "fe80::1%b"},
		{"fe80::9%a", "", "fe80::1%a"},
		{"fe80::9", "", "fe80::1%a"},
	} {
		a.dev = &device{host: &host{route: func(netip.Addr) (routed netip.Addr) {
			if c.routed != "" {
				routed = netip.MustParseAddr(c.routed)
			}
			return routed
		}}}
		if got := a.source(netip.MustParseAddr(c.to)); got != netip.MustParseAddr(c.want) {
			t.Errorf("to %s, where the system would send from %q: from %v, want %s", c.to, c.routed, got, c.want)
		}
	}
}

// The system says from where it sends, also to a host of a zone.
func TestRouteOfThisMachine(t *testing.T) {
	for _, to := range []string{"127.0.0.9", "::1"} {
		ip := netip.MustParseAddr(to)
		if from := route(ip); from.IsValid() && (!from.IsLoopback() || from.Is4() != ip.Is4()) {
			t.Errorf("to %v from %v", ip, from)
		}
	}
}
