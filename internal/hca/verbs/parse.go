package verbs

import (
	"context"
	"net"
	"net/netip"
	"strconv"

	"github.com/godapl/godapl/internal/hca"
)

// maxService is the limit of the connection manager, whose services are IP ports.
const maxService = 65535

// parse reads host:service. Names are looked up: they may have several addresses.
func (h *host) parse(ctx context.Context, op, address string) ([]netip.AddrPort, error) {
	bad := func(why string) error {
		return hca.NewError(hca.BadAddress, op, strconv.Quote(address), why+"; an address looks like 192.0.2.1:7471 or [2001:db8::1]:7471")
	}
	host, service, err := net.SplitHostPort(address)
	if err != nil {
		return nil, bad("it is not host:service")
	}
	n, err := strconv.ParseUint(service, 10, 64)
	switch {
	case err != nil:
		return nil, bad("the service is not a number")
	case n > maxService:
		return nil, bad("services of RDMA devices are at most 65535")
	}
	if host == "" {
		return []netip.AddrPort{netip.AddrPortFrom(netip.Addr{}, uint16(n))}, nil
	}
	if ip, err := netip.ParseAddr(host); err == nil {
		return []netip.AddrPort{netip.AddrPortFrom(ip.Unmap(), uint16(n))}, nil
	}
	ips, err := h.lookup(ctx, "ip", host)
	if err != nil || len(ips) == 0 {
		if e := contextError(ctx, op, address); e != nil {
			return nil, e
		}
		return nil, hca.Wrap(hca.BadAddress, op, address, "the host's name cannot be resolved", err)
	}
	all := make([]netip.AddrPort, len(ips))
	for i, ip := range ips {
		all[i] = netip.AddrPortFrom(ip.Unmap(), uint16(n))
	}
	return all, nil
}

// lookUp asks the resolver that the program has now.
func lookUp(ctx context.Context, network, host string) ([]netip.Addr, error) {
	return net.DefaultResolver.LookupNetIP(ctx, network, host)
}
