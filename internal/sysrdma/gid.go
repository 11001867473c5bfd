package sysrdma

import (
	"io/fs"
	"net/netip"
	"path"
	"slices"
	"strconv"
)

// Kinds of GIDs, as Linux spells them.
const (
	V1 = "IB/RoCE v1"
	V2 = "RoCE v2"
)

// A GID is an entry of a port's table.
type GID struct {
	Index int    `json:"index"`
	ID    string `json:"id"` // eight groups of four hexadecimal digits
	// Kind is V1 or V2 for RoCE.
	Kind      string `json:"kind,omitempty"`
	Interface string `json:"interface,omitempty"`
}

// IP is the IP address in a GID of RoCE, IPv4 unmapped; the zero Addr if it holds none.
func (g GID) IP() netip.Addr {
	ip, err := netip.ParseAddr(g.ID)
	if err != nil {
		return netip.Addr{}
	}
	return ip.Unmap()
}

// gids reads a port's table, without its empty entries.
func gids(root fs.FS, port string) []GID {
	all := []GID{}
	entries, _ := fs.ReadDir(root, path.Join(port, "gids"))
	for _, e := range entries {
		n, err := strconv.Atoi(e.Name())
		id := Text(root, path.Join(port, "gids", e.Name()))
		if err != nil || id == "" || id == "0000:0000:0000:0000:0000:0000:0000:0000" {
			continue
		}
		all = append(all, GID{
			Index: n, ID: id,
			Kind:      Text(root, path.Join(port, "gid_attrs/types", e.Name())),
			Interface: Text(root, path.Join(port, "gid_attrs/ndevs", e.Name())),
		})
	}
	slices.SortFunc(all, func(a, b GID) int { return a.Index - b.Index })
	return all
}

// Default is the kind of GID that the connection manager takes on a RoCE port. Without a
// setting it is version 2, if the port has such entries.
func (p *Port) Default() string {
	if p.DefaultGID != "" {
		return p.DefaultGID
	}
	if len(p.GIDs) > 0 && !slices.ContainsFunc(p.GIDs, func(g GID) bool { return g.Kind != V1 }) {
		return V1
	}
	return V2
}

// Chosen is the entry that the connection manager takes for connections from an address of
// this host.
func (p *Port) Chosen(ip netip.Addr) (GID, bool) {
	for _, g := range p.GIDs {
		if g.Kind == p.Default() && g.IP() == ip {
			return g, true
		}
	}
	return GID{}, false
}
