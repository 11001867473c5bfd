package main

import (
	"bytes"
	"strings"
	"testing"

	"go.uber.org/goleak"

	"github.com/godapl/godapl/cmd/godapl/internal/command"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// call runs a command line.
func call(t *testing.T, args ...string) (code int, out, errs string) {
	t.Helper()
	var o, e bytes.Buffer
	code = run(t.Context(), args, command.Streams{In: strings.NewReader(""), Out: &o, Err: &e})
	return code, o.String(), e.String()
}

func TestExitCodesAndStreams(t *testing.T) {
	for _, c := range []struct {
		args      string
		code      int
		out, errs string // parts of the streams; "" for nothing
	}{
		{"", command.Misused, "", "The commands are:"},
		{"help", command.Done, "The commands are:", ""},
		{"help ping", command.Done, "usage: godapl ping {-s", ""},
		{"help exit-codes", command.Done, "The exit status", ""},
		{"help nothing", command.Misused, "", "unknown help topic"},
		{"help perf ping", command.Misused, "", "one topic at a time"},
		{"nothing", command.Misused, "", "godapl nothing: unknown command"},
		{"doctor -h", command.Done, "usage: godapl doctor", ""},
		{"perf -n 10", command.Done, "rate", ""},
		{"perf -path ship", command.Misused, "", "godapl perf: no path"},
		{"perf -path tcp -peer 127.0.0.1:1", command.Failed, "", "is godapl perf -serve running there"},
		{"figures -sizes x", command.Misused, "", "no number of bytes"},
		{"ping", command.Misused, "", "godapl ping: either -s or -c"},
		{"ping -h", command.Done, "usage: godapl ping", ""},
		{"ping -c -a 127.0.0.1 -p 1 -A soft-tcp", command.Failed, "", "refused"},
	} {
		code, out, errs := call(t, strings.Fields(c.args)...)
		if code != c.code || !holds(out, c.out) || !holds(errs, c.errs) {
			t.Errorf("godapl %s: %d, output %q, errors %q; want %+v", c.args, code, out, errs, c)
		}
	}
}

func holds(text, part string) bool {
	return part == "" && text == "" || part != "" && strings.Contains(text, part)
}

// Every command is in the list of godapl help, and has a help of its own with its flags.
func TestEveryCommandHasHelp(t *testing.T) {
	_, list, _ := call(t, "help")
	for i, c := range commands {
		if i > 0 && commands[i-1].Name() >= c.Name() {
			t.Errorf("%s is not in alphabetical order", c.Name())
		}
		if !strings.Contains(list, "\t"+c.Name()+" ") || c.Short == "" {
			t.Errorf("%s is not in the list", c.Name())
		}
		_, text, _ := call(t, "help", c.Name())
		if !strings.HasPrefix(text, "usage: godapl "+c.Usage+"\n\n") || !strings.Contains(text, "The flags are:") || !strings.Contains(text, "exit status") {
			t.Errorf("the help of %s lacks usage, flags or exit status:\n%s", c.Name(), text)
		}
		for line := range strings.Lines(text) {
			if len(line) > 200 {
				t.Errorf("the help of %s has a line of %d bytes", c.Name(), len(line))
			}
		}
	}
}
