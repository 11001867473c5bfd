package perf

import (
	"context"
	"flag"
	"io"
	"strings"
	"testing"

	tool "github.com/godapl/godapl/cmd/godapl/internal/command"
)

// TestHelpNamesEveryFlag: the help describes each flag, and none that is not there.
func TestHelpNamesEveryFlag(t *testing.T) {
	var c config
	flags := c.flags()
	flags.VisitAll(func(f *flag.Flag) {
		if !strings.Contains(Command.Long, "\n\t-"+f.Name+" ") {
			t.Errorf("the help has no -%s", f.Name)
		}
	})
	list, _, _ := strings.Cut(helpFlags, "\nWHAT")
	for line := range strings.Lines(list) {
		if name, found := strings.CutPrefix(line, "\t-"); found {
			if name = strings.Fields(name)[0]; flags.Lookup(name) == nil {
				t.Errorf("the help has -%s, which is no flag", name)
			}
		}
	}
}

// TestInterruptedServer: -serve ends when it is interrupted while it waits.
func TestInterruptedServer(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	said, errs := io.Pipe()
	served := make(chan error, 1)
	go func() { served <- run(ctx, []string{"-path", "tcp", "-serve", "127.0.0.1:0"}, io.Discard, errs) }()
	if _, err := said.Read(make([]byte, 100)); err != nil {
		t.Fatal(err)
	}
	cancel()
	if err := <-served; tool.Code(err) != tool.Failed || !strings.Contains(err.Error(), "canceled") {
		t.Errorf("it ended with %v", err)
	}
}

// TestMisuse: a wrong command line has an exit code of its own.
func TestMisuse(t *testing.T) {
	for args, code := range map[string]int{
		"-path ship":      tool.Misused,
		"-nothing":        tool.Misused,
		"-services x":     tool.Misused,
		"-timeout 1ns":    tool.Failed,
		"-h":              tool.Done,
		"-n 10 -path net": tool.Done,
	} {
		if err := run(t.Context(), strings.Fields(args), io.Discard, io.Discard); tool.Code(err) != code {
			t.Errorf("perf %s: %v has code %d, want %d", args, err, tool.Code(err), code)
		}
	}
}
