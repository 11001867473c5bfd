package perf

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"go.uber.org/goleak"

	tool "github.com/godapl/godapl/cmd/godapl/internal/command"
)

// The program starts itself, which is the test binary here.
func TestMain(m *testing.M) {
	if len(os.Args) > 2 && os.Args[1] == "perf" && slices.Contains([]string{"peer", "load", "restricted"}, os.Args[2]) {
		if err := start(context.Background(), os.Args[2:], tool.Streams{In: os.Stdin, Out: os.Stdout, Err: os.Stderr}); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(tool.Code(err))
		}
		return
	}
	if filepath.Base(os.Args[0]) == "ucx_perftest" {
		playRival(os.Args[1:])
		return
	}
	// The network path within one process: quicker to start.
	paths["net"] = struct {
		adapter   string
		processes bool
	}{"soft-tcp", false}
	// The race detector makes every process linger for a second at its end.
	os.Setenv("GORACE", "atexit_sleep_ms=0 "+os.Getenv("GORACE"))
	goleak.VerifyTestMain(m)
}

// perf runs the program, and returns what it printed.
func perf(t *testing.T, args ...string) string {
	t.Helper()
	var out, errs bytes.Buffer
	if err := run(context.Background(), append([]string{"-timeout", "1m"}, args...), &out, &errs); err != nil {
		t.Fatalf("perf %q: %v\n%s%s", args, err, &out, &errs)
	}
	if errs.Len() > 0 {
		t.Errorf("perf %q complains: %s", args, &errs)
	}
	return out.String()
}
