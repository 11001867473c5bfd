package doctor

import (
	"fmt"
	"net/netip"

	"github.com/godapl/godapl/internal/sysrdma"
)

// addresses looks at the addresses of a port, and for RoCE at the GIDs that belong to them:
// those that the connection manager takes for connections from these addresses.
func (e *exam) addresses(d *sysrdma.Device, p *sysrdma.Port, in *Interface) {
	var usable []netip.Addr
	for _, ip := range in.Addresses {
		if !ip.IsLinkLocalUnicast() {
			usable = append(usable, ip)
		}
	}
	name := fmt.Sprintf("%s port %d", d.Name, p.Number)
	switch {
	case len(usable) == 0 && p.RoCE(d) && len(p.GIDs) > 0:
		e.Find("gid.link_local", in.Name, fmt.Sprintf("%s has %d GIDs, and %s no IP address that is not link-local", name, len(p.GIDs), in.Name))
		return
	case len(usable) == 0:
		e.Find("address.missing", in.Name, fmt.Sprintf("%s, of %s, has no IP address that is not link-local", in.Name, name))
		return
	case !p.RoCE(d):
		e.Fact("address", fmt.Sprintf("%s: %v", name, usable[0]))
		return
	}
	found := false
	for _, ip := range usable {
		g, ok := p.Chosen(ip)
		if !ok {
			continue
		}
		found = true
		e.Fact("gid", fmt.Sprintf("%s: for %v the connection manager takes GID %d, %s", name, ip, g.Index, g.Kind))
	}
	switch {
	case !found:
		e.Find("gid.missing", in.Name, fmt.Sprintf("%s has no GID of kind %s for %v", name, p.Default(), usable[0]))
	case p.Default() == sysrdma.V1:
		e.Find("gid.v1", d.Name, name+" uses RoCE version 1")
	}
}
