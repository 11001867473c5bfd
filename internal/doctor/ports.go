package doctor

import (
	"fmt"
	"slices"

	"github.com/godapl/godapl/internal/sysrdma"
)

// ports looks at the ports of devices, and at the network interfaces of those.
func (e *exam) ports() {
	for i := range e.Devices {
		d := &e.Devices[i]
		works := slices.ContainsFunc(d.Ports, func(p sysrdma.Port) bool { return p.Active() })
		for j := range d.Ports {
			e.port(d, &d.Ports[j], works)
		}
	}
}

// port looks at one port. another reports whether a port of the device is active.
func (e *exam) port(d *sysrdma.Device, p *sysrdma.Port, another bool) {
	name := fmt.Sprintf("%s port %d", d.Name, p.Number)
	level := Problem
	if another {
		level = Warning
	}
	in := e.iface(p.Interface)
	switch {
	case p.Active():
		text := name + ": active, " + p.Link
		if p.Rate != "" {
			text += ", " + p.Rate
		}
		if p.Interface != "" {
			text += ", interface " + p.Interface
		}
		e.Fact("port", text)
	case p.State == "INIT" && p.Link == "InfiniBand":
		e.FindAs(level, "port.init", d.Name, name+" is in state INIT")
	case in != nil && !in.Up: // that is why
	default:
		e.FindAs(level, "port.down", d.Name, fmt.Sprintf("%s is in state %s (%s)", name, p.State, p.Physical))
	}
	switch {
	case p.Interface == "" || in == nil:
		if p.Active() {
			e.Find("interface.missing", d.Name, name+" has no network interface that is seen here")
		}
	case !in.Up:
		e.FindAs(level, "interface.down", in.Name, fmt.Sprintf("%s, of %s, is down", in.Name, name))
	case p.Active():
		e.addresses(d, p, in)
	}
}
