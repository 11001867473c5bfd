package ported

import (
	"os"
	"os/exec"
	"regexp"
	"strings"
	"testing"
	"unicode"
)

// count replaces in a C program by scripts of GNU sed, and tells how many lines there are, and
// how many then stand in the port, in their order. Lines without a letter (braces), comments and
// includes do not count. Spaces do not matter. It skips the test where there is no GNU sed.
func count(t *testing.T, c, port string, scripts ...string) (carried, lines int) {
	t.Helper()
	args := []string{"-E", "-z"}
	for _, s := range scripts {
		args = append(args, "-f", s)
	}
	out, err := exec.CommandContext(t.Context(), "sed", append(args, c)...).Output()
	if err != nil {
		t.Skipf("no GNU sed: %v", err)
	}
	text, err := os.ReadFile(port)
	if err != nil {
		t.Fatal(err)
	}
	from, to := code(string(out)), code(string(text))
	return common(from, to), len(from)
}

var comment = regexp.MustCompile(`(?s)/\*.*?\*/|//[^\n]*|\n#include[^\n]*`)

// code is the lines with a letter, without comments and spaces.
func code(text string) (lines []string) {
	for line := range strings.Lines(comment.ReplaceAllString(text, "")) {
		line = strings.Join(strings.Fields(line), "")
		if strings.ContainsFunc(line, unicode.IsLetter) {
			lines = append(lines, line)
		}
	}
	return lines
}

// common is the length of the longest common subsequence.
func common(a, b []string) int {
	before := make([]int, len(b)+1)
	for _, x := range a {
		now := make([]int, len(b)+1)
		for j, y := range b {
			if now[j+1] = max(before[j+1], now[j]); x == y {
				now[j+1] = before[j] + 1
			}
		}
		before = now
	}
	return before[len(b)]
}
