package verbs

import (
	"net"
	"net/netip"

	"github.com/godapl/godapl/internal/hca"
	"github.com/godapl/godapl/internal/hca/verbs/ibv"
)

// local is an address of this host that belongs to the device.
type local struct {
	ip   netip.Addr
	port uint8
	net  netip.Prefix // the hosts there are neighbours
}

// findAddresses asks the connection manager which of this host's addresses
// belong to the device: only the connection manager knows that for every
// kind of device. IPv4 goes first, link-local addresses last.
func (a *adapter) findAddresses(name string) error {
	addrs, err := a.dev.host.addrs()
	if err != nil {
		return hca.Wrap(hca.Internal, "Open", name, "the host's addresses cannot be listed", err)
	}
	var v4, v6, linkLocal []local
	for _, addr := range addrs {
		n, ok := addr.(*net.IPNet)
		if !ok {
			continue
		}
		ip, ok := netip.AddrFromSlice(n.IP)
		if !ok || ip.IsLoopback() {
			continue
		}
		ip = ip.Unmap()
		candidates := []netip.Addr{ip}
		if ip.Is6() && ip.IsLinkLocalUnicast() {
			candidates = scoped(ip)
		}
		for _, ip := range candidates {
			port, ok := a.belongs(ip)
			bits, _ := n.Mask.Size()
			l := local{ip, port, netip.PrefixFrom(ip, bits)}
			switch {
			case !ok || a.port != 0 && port != a.port:
			case ip.Is4():
				v4 = append(v4, l)
			case ip.IsLinkLocalUnicast():
				linkLocal = append(linkLocal, l)
			default:
				v6 = append(v6, l)
			}
		}
	}
	a.addrs = append(append(v4, v6...), linkLocal...)
	if len(a.addrs) == 0 {
		return hca.NewError(hca.BadAddress, "Open", name, "no address of this host belongs to the device: "+
			"give its network interface an IP address and bring it up (ip addr add ...; ip link set ... up)")
	}
	if a.port == 0 {
		a.port = a.addrs[0].port
	}
	return nil
}

// scoped gives a link-local address the zone of the interface that has it.
func scoped(ip netip.Addr) (all []netip.Addr) {
	ifs, err := net.Interfaces()
	if err != nil {
		return nil
	}
	for _, i := range ifs {
		addrs, err := i.Addrs()
		if err != nil {
			continue
		}
		for _, addr := range addrs {
			if n, ok := addr.(*net.IPNet); ok && n.IP.Equal(ip.AsSlice()) {
				all = append(all, ip.WithZone(i.Name))
			}
		}
	}
	return all
}

// belongs binds an identifier to the address, and reports whether that has
// selected this device, and which port.
func (a *adapter) belongs(ip netip.Addr) (port uint8, ok bool) {
	id, e := a.lib.CreateID(a.cm.ch, 0, ibv.PortSpaceTCP)
	if e != 0 {
		return 0, false
	}
	defer a.lib.DestroyID(id)
	if e := a.lib.BindAddr(id, netip.AddrPortFrom(ip, 0)); e != 0 {
		return 0, false
	}
	return uint8(id.PortNum()), id.Verbs() == a.dev.ctx
}

// source selects the local address of a connection to a peer. A device may have addresses in several networks,
// and the peer must find the way back: so it is the address that the system would send from, or that of a
// neighbour. If the system would use another device, the first address has to do.
func (a *adapter) source(to netip.Addr) (from netip.Addr) {
	routed, best := a.dev.host.route(to), 0
	for _, l := range a.addrs {
		rank := 1
		switch {
		case l.port != a.port || l.ip.Is4() != to.Is4():
			continue
		case l.ip == routed:
			rank = 4
		case l.net.Contains(to.WithZone("")) && l.ip.Zone() == to.Zone():
			rank = 3
		case l.ip.IsLinkLocalUnicast() == to.IsLinkLocalUnicast():
			rank = 2
		}
		if rank > best {
			from, best = l.ip, rank
		}
	}
	return from
}

// route is the address of this host that the system sends from to a peer; the zero value if there is no way.
// Connecting a UDP socket finds it, and sends nothing.
func route(to netip.Addr) netip.Addr {
	c, err := net.DialUDP("udp", nil, net.UDPAddrFromAddrPort(netip.AddrPortFrom(to, 1)))
	if err != nil {
		return netip.Addr{}
	}
	defer c.Close()
	local, ok := c.LocalAddr().(*net.UDPAddr)
	if !ok { // a filter of system calls denies getsockname
		return netip.Addr{}
	}
	return local.AddrPort().Addr().Unmap()
}
