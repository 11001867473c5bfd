package doctor

import (
	"fmt"
	"strconv"

	"github.com/godapl/godapl/internal/sysrdma"
)

// Compare compares this host with another, and adds what does not fit together to r. The
// other report may say anything: it comes from the network.
func (r *Report) Compare(other *Report) {
	for i := range r.Devices {
		d := &r.Devices[i]
		for j := range d.Ports {
			p := &d.Ports[j]
			if !p.RoCE(d) || !p.Active() {
				continue
			}
			if od, op := match(other, d.Name, p.Number); op != nil {
				r.comparePorts(d, p, od, op, other)
			}
		}
	}
}

func (r *Report) comparePorts(d *sysrdma.Device, p *sysrdma.Port, od *sysrdma.Device, op *sysrdma.Port, other *Report) {
	here, there := d.Name+":"+strconv.Itoa(p.Number), od.Name+":"+strconv.Itoa(op.Number)
	if a, b := r.MTUs[here], other.MTUs[there]; a > 0 && b > 0 && a != b {
		r.Find("peer.mtu", d.Name, fmt.Sprintf("%s has MTU %d, %s of %s has %d", here, a, there, other.Host, b))
	}
	if a, b := p.Default(), op.Default(); a != b {
		r.Find("peer.roce", d.Name, fmt.Sprintf("%s takes %s, %s of %s takes %s", here, a, there, other.Host, b))
	}
}

// match finds the active RoCE port of the other host that most likely is in the same network:
// the port of the device with the same name, otherwise the first.
func match(other *Report, name string, number int) (*sysrdma.Device, *sysrdma.Port) {
	var first *sysrdma.Device
	var port *sysrdma.Port
	for i := range other.Devices {
		d := &other.Devices[i]
		for j := range d.Ports {
			p := &d.Ports[j]
			switch {
			case !p.RoCE(d) || !p.Active():
			case d.Name == name && p.Number == number:
				return d, p
			case first == nil:
				first, port = d, p
			}
		}
	}
	return first, port
}
