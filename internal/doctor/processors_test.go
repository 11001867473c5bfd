package doctor

import (
	"strings"
	"testing"
)

// TestProcessors: every host has processors, also one that has no /proc. If their number is not known, the report says
// nothing about them.
func TestProcessors(t *testing.T) {
	if n := Host().Processors; n < 1 {
		t.Errorf("this host has %d processors", n)
	}
	for _, c := range []struct {
		what  string
		spoil func(h *host)
		want  string
		n     int
	}{
		{"/proc counts", func(*host) {}, "Host h1, linux 6.12.1, amd64, 5 processors\n\n", 5},
		{"no /proc", func(h *host) { h.remove("proc") }, "Host h1, linux, amd64, 8 processors\n\n", 8},
		{"another system", func(h *host) { h.remove("proc"); h.OS = "darwin" }, "Host h1, darwin, amd64, 8 processors\n\n", 8},
		{"unknown", func(h *host) { h.remove("proc"); h.Processors = 0 }, "Host h1, linux, amd64\n\n", 0},
	} {
		h := healthy()
		h.Processors = 8
		c.spoil(h)
		r := Look(h.source(), Options{})
		var text strings.Builder
		r.WriteHead(&text)
		if text.String() != c.want || r.CPUs != c.n {
			t.Errorf("%s: %d processors, and the head is %q", c.what, r.CPUs, text.String())
		}
	}
}
