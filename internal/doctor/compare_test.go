package doctor

import (
	"slices"
	"strings"
	"testing"
)

func TestCompare(t *testing.T) {
	for _, c := range []struct {
		what  string
		spoil func(h *host)
		want  []string
	}{
		{"the same", func(*host) {}, nil},
		{"another MTU", func(h *host) { h.libs.Devices[0].Ports[0].ActiveMTU = 1024 }, []string{"peer.mtu"}},
		{"an unknown MTU", func(h *host) { h.libs = Libraries{Omitted: true} }, nil},
		{"another RoCE version", func(h *host) {
			h.files["sys/kernel/config/rdma_cm/rxe0/ports/1/default_roce_mode"] = "IB/RoCE v1"
		}, []string{"peer.roce"}},
		{"iWARP", func(h *host) {
			h.files[device+"node_type"] = "4: RNIC"
			h.libs.Devices[0].Ports[0].ActiveMTU = 1024
		}, nil},
		{"a port that is down", func(h *host) {
			h.files[port+"state"] = "1: DOWN"
			h.libs.Devices[0].Ports[0].ActiveMTU = 1024
		}, nil},
		{"no device", func(h *host) { *h = *bare() }, nil},
	} {
		h := healthy()
		c.spoil(h)
		here := Look(healthy().source(), Options{})
		here.Compare(Look(h.source(), Options{}))
		var got []string
		for _, f := range here.Findings {
			got = append(got, f.Name)
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%s: %q, want %q", c.what, got, c.want)
		}
	}
}

// A peer's text cannot move the cursor, and a level that does not exist is not printed.
func TestTextOfAPeer(t *testing.T) {
	var b strings.Builder
	r := &Report{
		Facts: []Fact{{"a", "x\x1b[2Jy\n"}},
		Findings: []Finding{
			{Name: "later.name\x1b", Level: Warning, Object: "\x07", Found: "f", Why: "w", Mend: "m\r"},
			{Name: "odd", Level: "fatal", Found: "f"},
		},
		Tests: []Test{{Name: "test.loop\n", Object: "o\x00", OK: true}},
	}
	r.WriteText(&b, true)
	text := b.String()
	if strings.ContainsAny(text, "\x1b\x07\r\x00") || strings.Contains(text, "y\n\n") || strings.Contains(text, "odd") || !strings.Contains(text, "x?[2Jy?") {
		t.Errorf("%q", text)
	}
}
