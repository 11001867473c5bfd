package sysrdma

import (
	"io/fs"
	"path"
	"slices"
	"strconv"
	"strings"
)

// A Port is a port of a device.
type Port struct {
	Number int `json:"number"`
	// State is "ACTIVE", "DOWN", "INIT" or "ARMED"; Physical "LinkUp", "Disabled", and more.
	State    string `json:"state"`
	Physical string `json:"physical,omitempty"`
	// Link is "Ethernet" or "InfiniBand".
	Link string `json:"link"`
	Rate string `json:"rate,omitempty"`
	// Interface is the network interface whose addresses select the port; "" if unknown.
	Interface string `json:"interface,omitempty"`
	GIDs      []GID  `json:"gids"`
	// DefaultGID is the kind of GID that the connection manager takes; "" if it does not say.
	DefaultGID string `json:"defaultGID,omitempty"`
}

// Active reports whether the port carries data.
func (p *Port) Active() bool { return p.State == "ACTIVE" }

// RoCE reports whether it is a port of a device that speaks InfiniBand over Ethernet.
func (p *Port) RoCE(d *Device) bool { return !d.IWARP() && p.Link == "Ethernet" }

func ports(root fs.FS, d *Device, dir string) []Port {
	var all []Port
	entries, _ := fs.ReadDir(root, path.Join(dir, "ports"))
	for _, e := range entries {
		n, err := strconv.Atoi(e.Name())
		if err != nil {
			continue
		}
		at := path.Join(dir, "ports", e.Name())
		p := Port{
			Number: n,
			State:  afterColon(Text(root, path.Join(at, "state"))), Physical: afterColon(Text(root, path.Join(at, "phys_state"))),
			Link: Text(root, path.Join(at, "link_layer")), Rate: Text(root, path.Join(at, "rate")),
			GIDs:       gids(root, at),
			DefaultGID: Text(root, path.Join("sys/kernel/config/rdma_cm", d.Name, "ports", e.Name(), "default_roce_mode")),
		}
		p.Interface = netdev(root, &p, dir)
		all = append(all, p)
	}
	slices.SortFunc(all, func(a, b Port) int { return a.Number - b.Number })
	return all
}

// afterColon is the name in "4: ACTIVE".
func afterColon(text string) string {
	if _, name, ok := strings.Cut(text, ":"); ok {
		return strings.TrimSpace(name)
	}
	return text
}

// netdev finds the network interface of a port. RoCE devices name it with their GIDs, rxe as
// its parent, and cards share their PCI device with it. siw has its hardware address as GID.
func netdev(root fs.FS, p *Port, dir string) string {
	for _, g := range p.GIDs {
		if g.Interface != "" {
			return g.Interface
		}
	}
	if name := Text(root, path.Join(dir, "parent")); name != "" {
		return name
	}
	nets, _ := fs.ReadDir(root, path.Join(dir, "device/net"))
	for _, e := range nets {
		port := path.Join(dir, "device/net", e.Name(), "dev_port")
		if n, ok := Number(root, port); len(nets) == 1 || ok && n == p.Number-1 {
			return e.Name()
		}
	}
	return byHardware(root, p)
}

// byHardware finds the interface whose hardware address begins a GID of the port.
func byHardware(root fs.FS, p *Port) string {
	nets, _ := fs.ReadDir(root, "sys/class/net")
	for _, e := range nets {
		mac := strings.ReplaceAll(Text(root, path.Join("sys/class/net", e.Name(), "address")), ":", "")
		for _, g := range p.GIDs {
			if len(mac) == 12 && mac != "000000000000" && strings.HasPrefix(strings.ReplaceAll(g.ID, ":", ""), mac) {
				return e.Name()
			}
		}
	}
	return ""
}
