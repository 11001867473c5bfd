package doctor

import (
	"slices"
	"testing"
)

// TestPtraceFact: nothing is said about access between processes if nothing is known about it.
func TestPtraceFact(t *testing.T) {
	const scope = "proc/sys/kernel/yama/ptrace_scope"
	for _, c := range []struct {
		what  string
		spoil func(h *host)
		want  bool
	}{
		{"allowed", func(*host) {}, true},
		{"no Yama", func(h *host) { h.remove(scope) }, true},
		{"no /proc", func(h *host) { h.remove("proc") }, false},
		{"not a number", func(h *host) { h.files[scope] = "?" }, false},
		{"restricted", func(h *host) { h.files[scope] = "1" }, false},
	} {
		h := healthy()
		c.spoil(h)
		got := slices.ContainsFunc(Look(h.source(), Options{}).Facts, func(f Fact) bool { return f.Area == "ptrace" })
		if got != c.want {
			t.Errorf("%s: said that it is allowed: %t", c.what, got)
		}
	}
}
