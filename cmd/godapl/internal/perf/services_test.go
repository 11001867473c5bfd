package perf

import (
	"io"
	"strings"
	"testing"
)

// TestServicesTable measures each row for a moment: its command is one that perf accepts,
// and each line has as many columns as the head.
func TestServicesTable(t *testing.T) {
	for _, args := range []string{"-services all", "-services busy -path tcp"} {
		out := perf(t, append(strings.Fields(args), "-n", "200", "-rounds", "1")...)
		lines := strings.Split(strings.TrimSpace(out), "\n")
		rows := 0
		for _, s := range services {
			if strings.Contains(args, "tcp") && s.path != "tcp" || s.path == "shm" && !hasEvents {
				continue
			}
			rows++
			if !strings.Contains(out, "`godapl perf -path "+s.path+s.args+"`") {
				t.Errorf("%s: no row of %s", args, s.args)
			}
		}
		if len(lines) != 2+rows {
			t.Errorf("%s: %d lines, want %d:\n%s", args, len(lines), 2+rows, out)
		}
		for _, line := range lines {
			if n := strings.Count(line, "|"); n != strings.Count(lines[0], "|") {
				t.Errorf("%s: %d columns in %s", args, n-1, line)
			}
		}
	}
}

func TestServicesTableRefuses(t *testing.T) {
	for args, want := range map[string]string{
		"-services some":              "there are quiet, busy",
		"-services all -mode wait":    "measures its own rows",
		"-services all -path verbs:x": "has -path tcp and -path shm",
	} {
		if _, err := parse(strings.Fields(args), io.Discard); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", args, err, want)
		}
	}
}
