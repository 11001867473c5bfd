package devices

import (
	"fmt"
	"io"
	"reflect"
	"strings"

	"github.com/godapl/godapl/internal/sysrdma"
)

// write writes an adapter for people.
func (a *adapter) write(to io.Writer, verbose bool) {
	fmt.Fprintln(to, a.Name)
	if a.Error != "" {
		fmt.Fprintf(to, "  cannot be opened: %s\n", a.Error)
	}
	if at := a.Attributes; at != nil {
		line(to, "vendor", at.Vendor)
		line(to, "firmware", at.Firmware)
		line(to, "address", at.Address)
		line(to, "lacks", strings.Join(flagged(at.Caps, false), ", "))
		if at.Caps.ReadNeedsRemoteWrite {
			line(to, "needs", "the right RemoteWrite for memory that reads go to")
		}
		if verbose {
			line(to, "has", strings.Join(flagged(at.Caps, true), ", "))
			limits(to, reflect.ValueOf(*at))
		}
	}
	if a.Device != nil {
		writeDevice(to, a.Device)
	}
	fmt.Fprintln(to)
}

func line(to io.Writer, name, value string) {
	if value != "" {
		fmt.Fprintf(to, "  %-20s %s\n", name, value)
	}
}

// flagged are the capabilities that have a value. What an adapter needs of the program is none.
func flagged(caps any, value bool) (names []string) {
	v := reflect.ValueOf(caps)
	for i := range v.NumField() {
		if v.Field(i).Kind() == reflect.Bool && v.Field(i).Bool() == value && v.Type().Field(i).Name != "ReadNeedsRemoteWrite" {
			names = append(names, v.Type().Field(i).Name)
		}
	}
	return names
}

// limits prints the numbers among the attributes. 0 is no limit, or an unknown one.
func limits(to io.Writer, v reflect.Value) {
	for i := range v.NumField() {
		switch f := v.Field(i); f.Kind() {
		case reflect.Int, reflect.Uint64:
			text := fmt.Sprint(f.Interface())
			if text == "0" {
				text = "-"
			}
			line(to, v.Type().Field(i).Name, text)
		}
	}
}

func writeDevice(to io.Writer, d *sysrdma.Device) {
	line(to, "transport", d.Transport)
	for i := range d.Ports {
		p := &d.Ports[i]
		text := fmt.Sprintf("%s, %s", p.State, p.Link)
		if p.Rate != "" {
			text += ", " + p.Rate
		}
		if p.Interface != "" {
			text += ", interface " + p.Interface
		}
		line(to, fmt.Sprintf("port %d", p.Number), text)
		for _, g := range p.GIDs {
			text := g.ID
			if p.RoCE(d) {
				text = fmt.Sprintf("%-10s %v", g.Kind, g.IP())
				if _, ok := p.Chosen(g.IP()); ok && g.Kind == p.Default() {
					text += ", taken for connections from this address"
				}
			}
			line(to, fmt.Sprintf("  GID %d", g.Index), text)
		}
	}
}
