package perf

import (
	"io"
	"slices"
	"testing"
)

// TestPerftestSleepsWhereWeDo asks both of its sides to wait for events, but for the test
// that has none.
func TestPerftestSleepsWhereWeDo(t *testing.T) {
	for _, c := range []struct {
		test   string
		sleeps bool
		want   bool
	}{{"ib_send_lat", true, true}, {"ib_send_lat", false, false}, {"ib_write_bw", true, true}, {"ib_write_lat", true, false}} {
		r := race{test: c.test, sleeps: c.sleeps, device: "rxe0", address: "192.0.2.1", trial: perftest.tests[c.test]}
		for side, args := range map[string][]string{"server": perftest.server(r), "client": perftest.client(r)} {
			if slices.Contains(args, "-e") != c.want {
				t.Errorf("the %s of %s, sleeping %v: %v", side, c.test, c.sleeps, args)
			}
		}
	}
}

// TestTakes: uDAPL's calls take one completion at a time, the native ones as many as
// fit, and a comparison takes as many on both sides.
func TestTakes(t *testing.T) {
	for _, c := range []struct {
		args []string
		want int
	}{{nil, faceBatch}, {[]string{"-api", "dat"}, 1}, {[]string{"-api", "dat", "-take", "16"}, 16}, {[]string{"-take", "8"}, 8}} {
		cfg, err := parse(c.args, io.Discard)
		if err != nil {
			t.Fatal(err)
		}
		if cfg.Take != c.want {
			t.Errorf("%q: %d at a time, want %d", c.args, cfg.Take, c.want)
		}
	}
	for _, args := range [][]string{{"-take", "-1"}, {"-take", "65"}, {"-api", "dat", "-mode", "wait", "-take", "2"}} {
		if _, err := parse(args, io.Discard); err == nil {
			t.Errorf("%q was accepted", args)
		}
	}
}
