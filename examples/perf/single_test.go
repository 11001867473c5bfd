package main

import (
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

// TestNativeTakesAsManyAsDat compares equals: one completion at a time.
func TestNativeTakesAsManyAsDat(t *testing.T) {
	c := config{Mode: "poll"}
	if n := c.take(); n != faceBatch {
		t.Errorf("a poll takes %d", n)
	}
	c.Single = true
	if n := c.take(); n != 1 {
		t.Errorf("a single poll takes %d", n)
	}
}
