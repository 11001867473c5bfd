package integration_test

import (
	"context"
	"os"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/godapl/godapl/rdma"
)

// TestDrive carries out plans that are drawn from GODAPL_SEED: connections with all
// operations, one by one and in batches, waiting calls that are cancelled, completions
// taken through every face, and ends of every kind at any moment. Every post completes
// once and in order; every message arrives once, whole and in order; every byte of memory
// has the expected value; and after the completion of an operation its memory is not
// accessed: the test fills the memory then, and checks it later.
//
// GODAPL_DRIVE=1m runs plans for a minute on each path. A plan that failed is printed, with
// the command that repeats it.
func TestDrive(t *testing.T) {
	for _, path := range drivePaths() {
		t.Run(path, func(t *testing.T) {
			drive(t, path, func(int) string { return "127.0.0.1:0" }, driveTime(t, 12))
		})
	}
}

func drivePaths() []string {
	l := []string{"soft-loop", "soft-tcp"}
	if runtime.GOOS == "linux" {
		l = append(l, "soft-shm")
	}
	return l
}

// driveTime returns a function that reports whether to run another plan: n plans, or plans
// for the time in the environment variable.
func driveTime(t testing.TB, plans int) func(int) bool {
	text := os.Getenv("GODAPL_DRIVE")
	if text == "" {
		return func(n int) bool { return n < plans }
	}
	d, err := time.ParseDuration(text)
	must(t, err)
	until := time.Now().Add(d)
	return func(int) bool { return time.Now().Before(until) }
}

// drive carries out plans on adapters of that name. Links listen at the same time, each
// at an address of its own.
func drive(t *testing.T, path string, address func(link int) string, goOn func(int) bool) {
	t.Helper()
	t.Logf("GODAPL_SEED=%d", seed)
	only, err := strconv.Atoi(os.Getenv("GODAPL_PLAN"))
	chosen := err == nil
	posts, failures, ended := 0, 0, map[string]int{}
	n := 0
	for ; goOn(n); n++ {
		number := n
		if chosen {
			number = only
		}
		p := drawPlan(path, seed, number)
		var open []*rdma.Adapter
		d := runPlan(p, address, func() *rdma.Adapter {
			a := driveMade(rdma.Open(context.Background(), path, rdma.OpenConfig{ReceiveWait: patience}))
			open = append(open, a)
			return a
		})
		for _, a := range open {
			d.check(a.Close())
		}
		posts, failures = posts+d.posts, failures+d.failures
		for k, v := range d.ended {
			ended[k] += v
		}
		if d.failed() {
			t.Fatalf("%v\n%s\nagain: GODAPL_SEED=%d GODAPL_PLAN=%d GODAPL_DRIVE=1m go test ./rdma/integration -run 'TestDrive/%s'",
				p, strings.Join(d.faults, "\n"), seed, number, path)
		}
	}
	total := 0
	for _, k := range ended {
		total += k
	}
	t.Logf("%d plans, %d connections, %d posts, %d of them not done; ends: %v", n, total, posts, failures, ended)
}
