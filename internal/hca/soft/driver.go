package soft

import (
	"context"
	"net"

	"github.com/godapl/godapl/internal/hca"
	"github.com/godapl/godapl/internal/hca/soft/core"
	"github.com/godapl/godapl/internal/hca/soft/hostport"
	"github.com/godapl/godapl/internal/hca/soft/inproc"
	"github.com/godapl/godapl/internal/hca/soft/sharedmem"
	"github.com/godapl/godapl/internal/hca/soft/sharedmem/neighbour"
	"github.com/godapl/godapl/internal/hca/soft/stream"
	"github.com/godapl/godapl/internal/hca/soft/stream/wire"
)

type driver struct {
	name   string
	loop   bool
	shm    bool
	fabric wire.Fabric // nil: TCP of this host, if at all
	tcp    bool
	sim    neighbour.Simulation // of the fabric; nil: memory is shared by the system's processes
}

// Driver is the built-in software adapter. path is "" (chosen at connect time), "loop" (in-process only), "shm"
// (this host only) or "tcp" (network only); the names are "soft", "soft-loop", "soft-shm" and "soft-tcp".
func Driver(path string) hca.Driver {
	switch path {
	case "":
		return &driver{name: "soft", loop: true, shm: true, tcp: true}
	case "loop":
		return &driver{name: "soft-loop", loop: true}
	case "shm":
		return &driver{name: "soft-shm", shm: true}
	case "tcp":
		return &driver{name: "soft-tcp", tcp: true}
	}
	panic("soft: no path " + path)
}

// A Simulator is a fabric whose processes also share memory.
type Simulator interface {
	wire.Fabric
	Simulation() neighbour.Simulation
}

// FabricDriver is a software adapter over the streams of f, and over memory if f is a Simulator.
func FabricDriver(name string, f wire.Fabric) hca.Driver {
	d := &driver{name: name, fabric: f}
	if s, ok := f.(Simulator); ok {
		d.shm, d.sim = true, s.Simulation()
	}
	return d
}

func (d *driver) Names() []string { return []string{d.name} }

func (d *driver) Open(_ context.Context, name string, opt hca.Options) (hca.Adapter, error) {
	if name != d.name {
		return nil, hca.NewError(hca.NotFound, "open", name, "this driver has "+d.name)
	}
	d, err := d.withTLS(opt)
	if err != nil {
		return nil, err
	}
	a := newAdapter(d, attributes(d), opt)
	if d.loop {
		a.Paths = append(a.Paths, &inproc.Path{})
	}
	if d.shm {
		a.Paths = append(a.Paths, sharedmem.NewPath(a.Adapter, d.sim))
	}
	if d.network() {
		p, err := stream.NewPath(a.Adapter, d.fabric)
		if err != nil {
			a.Shutdown(func() {})
			return nil, err
		}
		a.Paths = append(a.Paths, p)
	} else if err := noCapture(a.Adapter); err != nil {
		a.Shutdown(func() {})
		return nil, err
	}
	a.listOpen()
	return a, nil
}

// withTLS is the driver with the paths that the options allow: memory has no TLS.
func (d *driver) withTLS(opt hca.Options) (*driver, error) {
	switch {
	case opt.TLS == nil && opt.TLSNetworkOnly:
		return nil, hca.NewError(hca.Invalid, "open", d.name, "TLSNetworkOnly without TLS: nothing would be secured")
	case opt.TLS == nil:
		return d, nil
	case !d.network():
		return nil, hca.NewError(hca.Unsupported, "open", d.name, "TLS: this adapter moves no bytes over a network; soft-tcp and soft have TLS")
	case opt.TLSNetworkOnly:
		return d, nil
	}
	return &driver{name: d.name, tcp: d.tcp, fabric: d.fabric}, nil
}

// adapter is one open software adapter: its paths, in the order in which they are tried.
type adapter struct {
	*core.Adapter
	d *driver
}

// newAdapter makes an adapter without paths.
func newAdapter(d *driver, attr hca.Attr, opt hca.Options) *adapter {
	a := &adapter{Adapter: core.NewAdapter(attr, opt), d: d}
	a.Connect = a.connectAny
	return a
}

func (a *adapter) Close() error {
	a.Shutdown(func() {
		for _, p := range a.Paths {
			p.Close()
		}
		a.unlistOpen()
	})
	return nil
}

func attributes(d *driver) hca.Attr {
	caps := hca.CapAtomics | hca.CapSolicited | hca.CapSolicitedTold | hca.CapWriteImm | hca.CapSendInvalidate | hca.CapReceiveWait
	address := "loop"
	if d.shm {
		address = "localhost"
	}
	if d.loop || d.shm {
		caps |= hca.CapSendImm
	}
	if d.network() {
		address = hostAddress(d)
	}
	return core.NewAttr(d.name, address, caps)
}

// parse is hostport.Split for this driver. An address for a program's fabric may be any text but the empty one:
// if it is not host:service, the service is 0.
func (d *driver) parse(op, address string) (host string, service uint64, err error) {
	host, service, err = hostport.Split(op, address)
	if err != nil && d.foreign() && address != "" {
		return "", 0, nil
	}
	return host, service, err
}

// foreign reports that the program's fabric interprets the addresses.
func (d *driver) foreign() bool { return d.fabric != nil }

// network reports that there is a path over streams.
func (d *driver) network() bool { return d.tcp || d.fabric != nil }

// hostAddress is the address that the adapter reports as its own.
func hostAddress(d *driver) string {
	if !d.tcp {
		return d.name
	}
	addrs, err := net.InterfaceAddrs()
	if err == nil {
		for _, a := range addrs {
			if n, ok := a.(*net.IPNet); ok && !n.IP.IsLoopback() && n.IP.IsGlobalUnicast() {
				return n.IP.String()
			}
		}
	}
	return "127.0.0.1"
}

// noCapture refuses a capture where no bytes leave the host.
func noCapture(a *core.Adapter) error {
	if c := a.Options.Capture; c == nil || c.IfPossible {
		return nil
	}
	return hca.NewError(hca.Unsupported, "open", a.Attrs.Name, "there is nothing to capture: this adapter makes no packets; soft-tcp does")
}
