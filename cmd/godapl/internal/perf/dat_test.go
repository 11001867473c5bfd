package perf

import (
	"encoding/json"
	"strings"
	"testing"
)

func TestDat(t *testing.T) {
	for _, op := range []string{"send", "write", "read", "fadd"} {
		for _, mode := range []string{"poll", "wait"} {
			t.Run(op+"/"+mode, func(t *testing.T) {
				var got map[string]any
				out := perf(t, "-api", "dat", "-op", op, "-mode", mode, "-n", "60", "-depth", "4", "-json")
				if err := json.Unmarshal([]byte(out), &got); err != nil {
					t.Fatalf("%v: %s", err, out)
				}
				if got["api"] != "dat" || got["ops"] != 60.0 || got["errors"] != 0.0 || got["lat_p50_ns"].(float64) <= 0 {
					t.Errorf("%s", out)
				}
			})
		}
	}
	out := perf(t, "-api", "dat", "-n", "60", "-vs", "native", "-rounds", "1")
	if !strings.Contains(out, "uDAPL's calls against native ones") {
		t.Errorf("no comparison:\n%s", out)
	}
}

func TestDatRefuses(t *testing.T) {
	for _, args := range [][]string{
		{"-api", "dat", "-mode", "chan"}, {"-api", "dat", "-endpoints", "2"}, {"-api", "dat", "-depth", "4", "-list", "2"},
		{"-api", "dat", "-vs", "raw"}, {"-vs", "native"}, {"-api", "no"},
	} {
		if _, err := parse(args, new(strings.Builder)); err == nil {
			t.Errorf("%q was taken", args)
		}
	}
}
