package dat

import (
	"net"
	"net/netip"
	"strconv"
)

// hostAddr is the address of an adapter that is no IP address.
type hostAddr string

func (h hostAddr) Network() string { return "rdma" }
func (h hostAddr) String() string  { return string(h) }

// parseHost makes an address of a host without service.
func parseHost(host string) IAAddressPtr {
	if ip := net.ParseIP(host); ip != nil {
		return &net.IPAddr{IP: ip}
	}
	return hostAddr(host)
}

// parseAddress takes host:service apart.
func parseAddress(address string) (IAAddressPtr, PortQual) {
	host, service, err := net.SplitHostPort(address)
	if err != nil {
		return parseHost(address), 0
	}
	n, _ := strconv.ParseUint(service, 10, 64)
	return parseHost(host), PortQual(n)
}

// missing reports whether there is no address: NULL in C, and here also a nil pointer of the usual types.
func missing(a IAAddressPtr) bool {
	switch a := a.(type) {
	case nil:
		return true
	case *net.IPAddr:
		return a == nil
	case *net.TCPAddr:
		return a == nil
	case *net.UDPAddr:
		return a == nil
	}
	return false
}

// hostOf is the host of an address, and its port if it has one.
func hostOf(a IAAddressPtr) (host string, port uint64) {
	switch a := a.(type) {
	case *net.IPAddr:
		return a.String(), 0
	case *net.TCPAddr:
		return (&net.IPAddr{IP: a.IP, Zone: a.Zone}).String(), uint64(a.Port)
	case *net.UDPAddr:
		return (&net.IPAddr{IP: a.IP, Zone: a.Zone}).String(), uint64(a.Port)
	}
	host, service, err := net.SplitHostPort(a.String())
	if err != nil {
		return a.String(), 0
	}
	port, _ = strconv.ParseUint(service, 10, 64)
	return host, port
}

func joinAddress(host string, service ConnQual) string {
	return net.JoinHostPort(host, strconv.FormatUint(uint64(service), 10))
}

const (
	sharedServices = 32001
	firstShared    = 65535 - sharedServices
)

// reach is the address under which a qualifier is reached. A qualifier beyond the
// adapter's range shares a service with others, chosen as C's libraries over the same
// connection manager do, so that either side may be one of them.
func (a *ia) reach(address string) string {
	host, service, err := net.SplitHostPort(address)
	if err != nil {
		return address
	}
	n, err := strconv.ParseUint(service, 10, 64)
	if most := a.attr.MaxService; err != nil || most == 0 || n <= most {
		return address
	}
	return joinAddress(host, ConnQual(n%sharedServices+firstShared))
}

// checkAddress refuses addresses that are obviously not of one host.
func checkAddress(host string) Return {
	ip, err := netip.ParseAddr(host)
	if err != nil {
		return Success // a name, or an address of the program's own fabric
	}
	ip = ip.Unmap()
	switch {
	case ip.IsMulticast() || ip == netip.AddrFrom4([4]byte{255, 255, 255, 255}):
		return failure(InvalidAddress, InvalidAddressUnsupported)
	case ip.Is4() && ip.As4()[0] >= 240:
		return failure(InvalidAddress, InvalidAddressMalformed)
	}
	return Success
}
