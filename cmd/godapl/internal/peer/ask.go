package peer

import (
	"context"
	"fmt"
	"net"
	"slices"
	"strings"

	"github.com/godapl/godapl/cmd/godapl/internal/selftest"
	"github.com/godapl/godapl/internal/doctor"
	"github.com/godapl/godapl/rdma"
)

// Ask talks with the doctor at address, a host or host:port. It adds the tests with the other
// host's adapters, and what does not fit together, to report, and returns the report of the
// other host. An error says that there was no talk. step is told of each step before it is
// taken, and how many are left with it.
func Ask(ctx context.Context, address string, report *doctor.Report, step func(what string, left int)) (*doctor.Report, error) {
	step("asking "+address, 1)
	address = withPort(address)
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	dialing, dialed := context.WithTimeout(ctx, selftest.Limit)
	defer dialed()
	conn, err := new(net.Dialer).DialContext(dialing, "tcp", address)
	if err != nil {
		return nil, err
	}
	defer conn.Close()
	defer context.AfterFunc(ctx, func() { conn.Close() })()
	t := newTalk(conn)
	if err := t.send(hello{version, report}); err != nil {
		return nil, err
	}
	var o offer
	if err := t.receive(&o); err != nil {
		return nil, err
	}
	other := doctor.Foreign(o.Report)
	report.Compare(other)
	done := results{Tests: []doctor.Test{}}
	all := trials(report, o.Places)
	for i, t := range all {
		if ctx.Err() != nil {
			break // the other host has gone, too
		}
		name := fmt.Sprintf("%s with %s of %s", t.name, t.place.Adapter, other.Host)
		step("trying "+doctor.Clean(name), len(all)-i)
		path, err := "", fmt.Errorf("the other host: %s", t.place.Error)
		if t.place.Error == "" {
			path, err = try(ctx, t.name, t.place.reached(conn.RemoteAddr()))
		}
		report.Test("peer.test", name, path, err)
		done.Tests = append(done.Tests, report.Tests[len(report.Tests)-1])
	}
	// The other host prints the results, and then hangs up. This one has them anyway.
	if t.send(done) == nil {
		_ = t.receive(new(struct{}))
	}
	return other, nil
}

// withPort adds the usual port to an address that has none. A host that is an address of IPv6 may be in brackets.
func withPort(address string) string {
	if _, _, err := net.SplitHostPort(address); err == nil {
		return address
	}
	if host, ok := strings.CutPrefix(address, "["); ok {
		address = strings.TrimSuffix(host, "]")
	}
	return net.JoinHostPort(address, Port)
}

// A trial is a test of an adapter of this host with one of the other host.
type trial struct {
	name string
	place
}

// trials are those of all adapters that the other host offers, each once.
func trials(report *doctor.Report, places []place) (all []trial) {
	tried := map[string]bool{}
	for _, p := range places[:min(len(places), maxPlaces)] {
		if tried[p.Adapter] {
			continue
		}
		tried[p.Adapter] = true
		for _, name := range partners(report, p) {
			all = append(all, trial{name, p})
		}
	}
	return all
}

// partners are the adapters of this host with which a place is tried: the adapter that has the
// same name, otherwise all of the same kind.
func partners(report *doctor.Report, p place) []string {
	mine := adapters(report)
	if slices.ContainsFunc(mine, func(a place) bool { return a.Adapter == p.Adapter && a.Kind == p.Kind }) {
		return []string{p.Adapter}
	}
	var names []string
	for _, a := range mine {
		if a.Kind == p.Kind {
			names = append(names, a.Adapter)
		}
	}
	return names
}

// adapters are those of a host that reach other hosts.
func adapters(report *doctor.Report) []place {
	all := []place{{Adapter: "soft-tcp", Kind: "TCP"}}
	for i := range report.Devices {
		d := &report.Devices[i]
		kind := d.Transport
		if len(d.Ports) > 0 && d.Ports[0].RoCE(d) {
			kind = "RoCE"
		}
		all = append(all, place{Adapter: d.Name, Kind: kind})
	}
	return all
}

// reached is the address at which a place is tried. Except for a device, which has an address of its
// own, that is the host of the talk: the other side cannot send this host elsewhere.
func (p place) reached(host net.Addr) string {
	_, port, err := net.SplitHostPort(p.Address)
	from, _, fromErr := net.SplitHostPort(host.String())
	if p.Kind != "TCP" || err != nil || fromErr != nil {
		return p.Address
	}
	return net.JoinHostPort(from, port)
}

func try(ctx context.Context, name, address string) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, selftest.Limit)
	defer cancel()
	adapter, err := rdma.Open(ctx, name, rdma.OpenConfig{})
	if err != nil {
		return "", err
	}
	defer adapter.Close()
	return selftest.Try(ctx, adapter, address)
}
