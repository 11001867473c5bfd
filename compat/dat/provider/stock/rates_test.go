package stock

import (
	"encoding/json"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// BenchmarkDapltest prints the rate of 64-byte writes of dapltest between two processes
// of this host, polling and waiting, and the rate of godapl perf through compat/dat,
// in Go. The difference is the cost of the C layer and of dapltest itself, which reads
// the clock at each post and at each completion. Neither uses the library's memory. The
// figures are medians over alternating runs:
//
//	go test -run - -bench Dapltest -v ./stock
func BenchmarkDapltest(b *testing.B) {
	const turns, writes = 5, "200000"
	h := newHost(b)
	tool := filepath.Join(b.TempDir(), "godapl")
	if out, err := exec.Command("go", "build", "-C", "../../../..", "-o", tool, "./cmd/godapl").CombinedOutput(); err != nil {
		b.Fatalf("%v\n%s", err, out)
	}
	p := paths[slices.IndexFunc(paths, func(p path) bool { return p.device == "soft-shm" })]
	server := h.startFor(b, always, "dapltest", "-T", "S", "-D", p.name)
	if !server.ready(serverReady, 0) {
		b.Fatalf("the server is not ready: %v\n%s", server.wait(), tail(server.out.from(0)))
	}
	for _, mode := range []struct{ c, perf string }{{"p", "poll"}, {"b", "wait"}} {
		var c, here []float64
		for range turns {
			client := h.start(b, "dapltest", "-T", "P", "-s", p.address, "-D", p.name, "-i", writes, "-m", mode.c, "RW", "64", "1")
			if err := client.wait(); err != nil {
				b.Fatalf("%s: %v\n%s", client.line, err, tail(client.out.from(0)))
			}
			c = append(c, rateOf(b, client.out.from(0)))
			out, err := exec.Command(tool, "perf", "-api", "dat", "-path", "shm", "-slices", "-op", "write", "-size", "64", "-mode", mode.perf,
				"-only", "rate", "-n", writes, "-json").Output()
			var result struct {
				Rate float64 `json:"ops_per_s"`
			}
			if err != nil || json.Unmarshal(out, &result) != nil || result.Rate == 0 {
				b.Fatalf("perf: %v\n%s", err, out)
			}
			here = append(here, result.Rate)
		}
		slices.Sort(c)
		slices.Sort(here)
		x, y := c[turns/2], here[turns/2]
		b.Logf("%s: dapltest %.0f/s (%.0f ns), perf %.0f/s (%.0f ns), %.0f ns more", mode.perf, x, 1e9/x, y, 1e9/y, 1e9/x-1e9/y)
	}
}

var operations = regexp.MustCompile(throughput + ` *: *([0-9.]+) ops/sec`)

// rateOf is what dapltest has measured.
func rateOf(t testing.TB, out string) float64 {
	t.Helper()
	m := operations.FindStringSubmatch(out)
	if m == nil {
		t.Fatalf("dapltest tells no rate\n%s", tail(out))
	}
	rate, err := strconv.ParseFloat(strings.TrimSpace(m[1]), 64)
	if err != nil || rate == 0 {
		t.Fatalf("rate %q: %v", m[1], err)
	}
	return rate
}
