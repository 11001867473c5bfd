package main

import (
	"os"
	"os/exec"
	"regexp"
	"strings"
	"testing"
)

// TestOnTerminal runs the program on a terminal, which util-linux's script makes: there is a bar while it reads, and
// when it is done the same lines stay as without a terminal.
func TestOnTerminal(t *testing.T) {
	script, err := exec.LookPath("script")
	if err != nil {
		t.Skip("no program to make a terminal with:", err)
	}
	if help, _ := exec.Command(script, "--help").Output(); !strings.Contains(string(help), "--return") {
		t.Skip("this script is not util-linux's")
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	name, sum := fileOf(t, 3<<20+17)
	cmd := exec.CommandContext(within(t), script, "--quiet", "--return", "--command", `"$SELF" reader "$FILE"`, "/dev/null")
	cmd.Env = append(os.Environ(), "SELF="+self, "FILE="+name, "TERM=xterm")
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	if !strings.Contains(string(out), "\rreading   ") {
		t.Errorf("there was no bar: %q", out)
	}
	left := screen(string(out))
	for _, part := range []string{"from process", sum, "ping-pong", "median"} {
		if !strings.Contains(left, part) {
			t.Errorf("the terminal lacks %q:\n%s", part, left)
		}
	}
	if strings.Contains(left, "%") || strings.ContainsAny(left, "\r\x1b█|") {
		t.Errorf("the bar stays:\n%s", left)
	}
}

var controls = regexp.MustCompile("\x1b\\[[0-9;?]*[a-zA-Z]")

// screen is what stays on a terminal: of each line what was written last in each column.
func screen(text string) string {
	var all []string
	for line := range strings.Lines(text) {
		var cells []rune
		for part := range strings.SplitSeq(strings.TrimRight(line, "\r\n"), "\r") {
			if strings.Contains(part, "\x1b[2K") || strings.Contains(part, "\x1b[J") {
				cells = nil
			}
			column := []rune(controls.ReplaceAllString(part, ""))
			cells = append(column, cells[min(len(column), len(cells)):]...)
		}
		all = append(all, strings.TrimRight(string(cells), " "))
	}
	return strings.Join(all, "\n")
}
