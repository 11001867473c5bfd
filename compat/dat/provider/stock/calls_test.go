package stock

import (
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// compiled is a program of testdata, linked with Debian's libdat2, with more flags of the compiler.
func compiled(t testing.TB, name string, flags ...string) string {
	t.Helper()
	if library, made := os.LookupEnv(libraryVariable); made {
		return filepath.Join(filepath.Dir(library), name)
	}
	if _, err := os.Stat("/usr/include/dat2/udat.h"); err != nil {
		t.Skip("no headers here; Debian's are in libdapl-dev: ", err)
	}
	binary := filepath.Join(t.TempDir(), name)
	gcc := exec.Command("gcc", append(flags, "-Wall", "-O2", "-o", binary, filepath.Join("testdata", name+".c"), "-ldat2", "-lpthread")...)
	if out, err := gcc.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return binary
}

// TestCalls makes the calls that no stock program makes, and checks threads, signals,
// fork, a wrong address, and opening an adapter again.
func TestCalls(t *testing.T) {
	h := newHost(t)
	program := compiled(t, "calls")
	for _, p := range allPaths() {
		t.Run(p.device, func(t *testing.T) {
			p.needs(t, "calls")
			judged(t, h.start(t, program, p.name), "", "ALL CALLS PASSED")
		})
	}
}

// TestTrays tests the trays: see the package comment of the library.
func TestTrays(t *testing.T) {
	h := newHost(t)
	program := compiled(t, "trays")
	for _, p := range append(allPaths(), path{"loop0", "soft-loop", ""}) {
		t.Run(p.device, func(t *testing.T) {
			p.needs(t, "calls")
			atOnce := "0" // a write completes later, after the peer's answer
			if p.device == "soft-loop" || p.device == "soft" {
				atOnce = "1"
			}
			from := strconv.FormatUint(seed(t)%(1<<30), 10) // as much as srand takes
			judged(t, h.start(t, program, p.name, atOnce, from), "", "ALL TRAYS PASSED")
		})
	}
}

// TestSleepers tests threads that sleep in waits: time limits, signals, cancellation, fork,
// thresholds, notification objects, several streams, and dispatchers that are freed.
func TestSleepers(t *testing.T) {
	h := newHost(t)
	program := compiled(t, "sleepers")
	for _, p := range append(allPaths(), path{"loop0", "soft-loop", ""}) {
		t.Run(p.device, func(t *testing.T) {
			from := strconv.FormatUint(seed(t)%(1<<30), 10) // as much as srand takes
			// A device may report an event that was taken before.
			late := "1"
			if strings.HasPrefix(p.device, "soft") {
				late = "0"
			}
			judged(t, h.start(t, program, p.name, from, late), "", "ALL SLEEPERS PASSED")
		})
	}
}

// TestStacks has the collector of Go run all the time, and so move its stacks, while they hold
// numbers that C declares as pointers.
func TestStacks(t *testing.T) {
	h := newHost(t)
	program := compiled(t, "stacks")
	t.Setenv("GOGC", "1")
	t.Setenv("GODEBUG", "gctrace=1") // the writing of the traces makes a move at such a moment likely
	judged(t, h.start(t, program, "loop0", "3"), "", "ALL STACKS PASSED")
}

// TestPingpong exchanges messages between two processes that sleep until a message arrives.
func TestPingpong(t *testing.T) {
	h := newHost(t)
	program := compiled(t, "pingpong")
	for _, p := range allPaths() {
		t.Run(p.device, func(t *testing.T) {
			p.needs(t, "calls")
			judged(t, h.start(t, program, p.name, "2000"), "", p.name)
		})
	}
}

// BenchmarkPingpong prints the cost of a message between two processes that sleep until it
// arrives, and the same with plain TCP sockets in C:
//
//	go test -run - -bench Pingpong -v ./stock
//
// With an additional path it prints the cost there, in turns with that of the adapter of another provider, if one is named:
// both variables are in host_test.go. Then nobody waits for a notification object: over siw the reference provider hangs there.
func BenchmarkPingpong(b *testing.B) {
	h := newHost(b)
	program := compiled(b, "pingpong")
	names, messages := []string{"tcp0", "shm0"}, 10000
	reference := strings.Fields(os.Getenv(referenceVariable))
	if more := allPaths()[len(paths):]; len(more) > 0 {
		names, messages = append(reference, more[0].name), 2000
	}
	for range 7 {
		for _, name := range names {
			cmd := exec.Command(program, name, strconv.Itoa(max(b.N, messages)))
			cmd.Env = append(os.Environ(), "DAT_OVERRIDE="+h.conf)
			if len(reference) > 0 {
				cmd.Env = append(cmd.Env, "PINGPONG_NO_CNO=1")
			}
			out, err := cmd.CombinedOutput()
			if err != nil {
				b.Fatalf("%v\n%s", err, out)
			}
			b.Logf("\n%s", out)
		}
	}
}

// BenchmarkCost prints the cost of C calls on the in-process path:
//
//	go test -run - -bench Cost ./stock
func BenchmarkCost(b *testing.B) {
	h := newHost(b)
	program := compiled(b, "cost")
	cmd := exec.Command(program, "loop0", strconv.Itoa(max(b.N, 1000)))
	cmd.Env = append(os.Environ(), "DAT_OVERRIDE="+h.conf)
	out, err := cmd.CombinedOutput()
	if err != nil {
		b.Fatalf("%v\n%s", err, out)
	}
	b.Logf("%s", out)
}
