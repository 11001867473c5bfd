package hostport

import (
	"fmt"
	"net"
	"net/netip"
	"strconv"

	"github.com/godapl/godapl/internal/hca"
)

// Split splits host:service. A service has 64 bits.
func Split(op, address string) (host string, service uint64, err error) {
	bad := func(why string) error {
		return hca.NewError(hca.BadAddress, op, strconv.Quote(address), why+"; an address looks like host:7471, [2001:db8::1]:7471 or :7471")
	}
	host, s, err := net.SplitHostPort(address)
	if err != nil {
		return "", 0, bad("it is not host:service")
	}
	service, err = strconv.ParseUint(s, 10, 64)
	if err != nil {
		return "", 0, bad(fmt.Sprintf("the service %q is not a number from 0 to 2^64-1", s))
	}
	return host, service, nil
}

// Join is the reverse of Split.
func Join(host string, service uint64) string {
	return net.JoinHostPort(host, strconv.FormatUint(service, 10))
}

// Local reports whether a host names this machine. canonical is the address under which the in-process path
// knows it; "" is the machine as such.
func Local(host string) (canonical string, local bool) {
	if host == "" || host == "localhost" || host == "loop" {
		return "", true
	}
	ip, err := netip.ParseAddr(host)
	if err != nil {
		return "", false // a name: the network decides
	}
	ip = ip.Unmap()
	if ip.IsLoopback() || ip.IsUnspecified() {
		return ip.String(), true
	}
	addrs, err := net.InterfaceAddrs()
	if err != nil {
		return "", false
	}
	for _, a := range addrs {
		if n, ok := a.(*net.IPNet); ok {
			if x, ok := netip.AddrFromSlice(n.IP); ok && x.Unmap() == ip {
				return ip.String(), true
			}
		}
	}
	return "", false
}

// The services from which one is chosen where the program leaves that to the adapter: the range of the dynamic ports.
const (
	FirstDynamic = 49152
	Dynamic      = 16384 // how many there are
)
