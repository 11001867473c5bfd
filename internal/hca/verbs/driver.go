package verbs

import (
	"context"
	"net"
	"net/netip"
	"os"
	"sort"
	"strconv"
	"strings"
	"sync"

	"github.com/godapl/godapl/internal/hca"
	"github.com/godapl/godapl/internal/hca/verbs/ibv"
)

// classDir is where Linux lists its RDMA devices.
const classDir = "/sys/class/infiniband"

type driver struct{ *host }

// host is where devices are: this machine, or what simulates one.
type host struct {
	load  func() (*ibv.Lib, error)
	names func() []string
	addrs func() ([]net.Addr, error)
	// lookup is that of net.Resolver.
	lookup func(ctx context.Context, network, host string) ([]netip.Addr, error)
	// route tells from which address the host sends to another.
	route func(to netip.Addr) netip.Addr

	mu   sync.Mutex
	open []*device
}

// machine is this one.
var machine = &host{load: ibv.Load, names: classNames, addrs: net.InterfaceAddrs, lookup: lookUp, route: route}

// Driver returns the driver of all RDMA devices of this machine.
func Driver() hca.Driver { return driver{machine} }

// Names lists the devices, and where one has several ports, each port as
// device:port. It loads no library: a name says that the kernel has the
// device, not that the libraries for it are installed.
func (d driver) Names() []string { return d.names() }

func classNames() []string {
	entries, err := os.ReadDir(classDir)
	if err != nil {
		return nil
	}
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
		ports, err := os.ReadDir(classDir + "/" + e.Name() + "/ports")
		if err != nil || len(ports) < 2 {
			continue
		}
		for _, p := range ports {
			names = append(names, e.Name()+":"+p.Name())
		}
	}
	sort.Strings(names)
	return names
}

// Open opens a device, or one port of it.
func (d driver) Open(ctx context.Context, name string, opt hca.Options) (hca.Adapter, error) {
	if err := contextError(ctx, "Open", name); err != nil {
		return nil, err
	}
	if c := opt.Capture; c != nil && !c.IfPossible {
		return nil, hca.NewError(hca.Unsupported, "Open", name, "a device cannot be captured from here: ask its own tools")
	}
	if opt.TLS != nil || opt.TLSNetworkOnly {
		return nil, hca.NewError(hca.Unsupported, "Open", name, "TLS: a device moves the bytes by itself; use IPsec or WireGuard, or soft-tcp, which has TLS")
	}
	device, port, err := splitName(name)
	if err != nil {
		return nil, err
	}
	lib, err := d.load()
	if err != nil {
		return nil, err
	}
	dev, err := d.openDevice(lib, device)
	if err != nil {
		return nil, err
	}
	return newAdapter(dev, name, port, opt)
}

// splitName splits device:port. Port 0 means any port that has an address.
func splitName(name string) (device string, port uint8, err error) {
	device, number, found := strings.Cut(name, ":")
	if !found {
		return device, 0, nil
	}
	n, err := strconv.ParseUint(number, 10, 8)
	if err != nil || n == 0 || device == "" {
		return "", 0, hca.NewError(hca.NotFound, "Open", name,
			"a device is named as in "+classDir+", with a port as mlx5_0:1")
	}
	return device, uint8(n), nil
}
