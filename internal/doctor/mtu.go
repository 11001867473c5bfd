package doctor

import "fmt"

// roceHeaders are the bytes of a RoCE v2 packet beyond its payload, with IPv6: IP, UDP, the
// transport's headers with those of a write, and the check sum.
const roceHeaders = 40 + 8 + 12 + 16 + 4

// mtus compares the MTUs of RoCE ports with those of their interfaces.
func (e *exam) mtus() {
	for i := range e.Devices {
		d := &e.Devices[i]
		for _, l := range e.libraries.Devices {
			if l.Name != d.Name {
				continue
			}
			for _, p := range d.Ports {
				in := e.iface(p.Interface)
				if p.Number > len(l.Ports) || in == nil || !p.RoCE(d) {
					continue
				}
				e.mtu(fmt.Sprintf("%s port %d", d.Name, p.Number), l.Ports[p.Number-1], in)
			}
		}
	}
}

func (e *exam) mtu(port string, p LibraryPort, in *Interface) {
	found := fmt.Sprintf("%s has MTU %d of at most %d, its interface %s has %d", port, p.ActiveMTU, p.MaxMTU, in.Name, in.MTU)
	switch {
	case p.ActiveMTU == 0:
	case p.ActiveMTU+roceHeaders > in.MTU:
		e.Find("mtu.mismatch", in.Name, found)
	case p.ActiveMTU < p.MaxMTU:
		e.Find("mtu.small", in.Name, found)
	default:
		e.Fact("mtu", found)
	}
}
