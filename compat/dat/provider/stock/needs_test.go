package stock

import (
	"context"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/godapl/godapl/rdma"
)

var (
	operation = regexp.MustCompile(`\b(SR|RW|RR) (\d+) (\d+)`)
	rounds    = regexp.MustCompile(`-i (\d+)`)
)

// needs skips a line that requires a feature which the path lacks.
func (p path) needs(t *testing.T, line string) {
	t.Helper()
	if strings.HasPrefix(p.device, "soft") {
		return // has everything
	}
	a, err := rdma.Open(context.Background(), p.device, rdma.OpenConfig{})
	if err != nil {
		t.Fatal(err)
	}
	defer a.Close()
	at := a.Attributes()
	for _, op := range operation.FindAllStringSubmatch(line, -1) {
		most := at.MaxSegments
		if op[1] == "RR" {
			most = at.MaxReadSegments
		}
		if n, _ := strconv.Atoi(op[3]); n > most {
			t.Skipf("%s has at most %d segments for %s", p.device, most, op[1])
		}
	}
	program, _, _ := strings.Cut(line, " ")
	extension := program == "dtestx" || program == "calls" || program == "dtest" && strings.Contains(line, " -w")
	if extension && !(at.Caps.WriteImmediate && at.Caps.Atomics) {
		t.Skip(p.device + " has no immediate data or no atomics")
	}
	if program == "dtest" && strings.Contains(line, " -D") && (strings.HasPrefix(p.device, "rxe") || strings.HasPrefix(p.device, "siw")) {
		t.Skip(p.device + " stores the bytes of a write in any order")
	}
	if line == "dtest" && testing.Short() {
		t.Skip("it takes some 800 MB")
	}
}

// abridged has a line do less in short mode.
func abridged(line string) string {
	if !testing.Short() {
		return line
	}
	return rounds.ReplaceAllStringFunc(line, func(s string) string {
		n, _ := strconv.Atoi(strings.TrimPrefix(s, "-i "))
		return "-i " + strconv.Itoa(max(min(n, 20), n/10))
	})
}
