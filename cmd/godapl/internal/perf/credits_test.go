package perf

import (
	"encoding/json"
	"testing"
)

// The sender stops for credits, and none is left over: with two receives to a
// window, each phase passes it many times.
func TestCredits(t *testing.T) {
	creditsAlways = true
	defer func() { creditsAlways = false }()
	for _, more := range [][]string{
		{"-n", "1000"},
		{"-n", "1000", "-mode", "wait", "-depth", "16"},
		{"-n", "1000", "-depth", "64", "-list", "16", "-endpoints", "3"},
		{"-n", "200", "-size", "1048576", "-depth", "4"},
		{"-n", "600", "-path", "tcp", "-depth", "8"},
	} {
		var got map[string]any
		out := perf(t, append([]string{"-op", "send", "-json"}, more...)...)
		if err := json.Unmarshal([]byte(out), &got); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
		if got["errors"] != 0.0 || got["lat_p50_ns"].(float64) <= 0 {
			t.Errorf("%v: %s", more, out)
		}
	}
}

func TestShort(t *testing.T) {
	a := &active{side: &side{cfg: &config{Op: "send", Depth: 4, List: 1, Endpoints: 1, Size: 1 << 20}}}
	if a.short(0, 1000) {
		t.Error("no credits, and yet the sender waits for some")
	}
	a.credits = make([]credits, 1)
	n := a.cfg.recvs()
	a.sent(0, n)
	if a.short(0, 0) || !a.short(0, 1) {
		t.Errorf("of %d receives %d are used: there is room for none", n, n)
	}
	a.credits[0].back++
	if a.short(0, a.cfg.window()) || !a.short(0, a.cfg.window()+1) {
		t.Errorf("a credit is for %d", a.cfg.window())
	}
}
