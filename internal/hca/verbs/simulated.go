package verbs

import (
	"net"
	"net/netip"

	"github.com/godapl/godapl/internal/hca"
	"github.com/godapl/godapl/internal/hca/verbs/ibv"
)

// Simulated returns the driver of devices that libraries written in Go simulate (see
// [ibv.Serve]): addrs are the addresses of the host that the libraries know. It keeps the
// devices that it opens to itself. It is for tests.
func Simulated(lib *ibv.Lib, names []string, addrs []netip.Addr) hca.Driver {
	return driver{&host{
		load:   func() (*ibv.Lib, error) { return lib, nil },
		names:  func() []string { return names },
		lookup: lookUp,
		route:  func(netip.Addr) netip.Addr { return netip.Addr{} },
		addrs: func() (all []net.Addr, err error) {
			for _, a := range addrs {
				all = append(all, &net.IPNet{IP: a.AsSlice(), Mask: net.CIDRMask(a.BitLen(), a.BitLen())})
			}
			return all, nil
		},
	}}
}
