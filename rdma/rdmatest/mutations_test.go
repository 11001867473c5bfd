package rdmatest_test

import (
	"bytes"
	"fmt"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// mutations has the guards that were broken, one patch each, and what found them.
const mutations = "testdata/mutations"

// leastGuards is how many guards the list has at least.
const leastGuards = 50

var mutationRow = regexp.MustCompile(`(?m)^\| (\d\d-[a-z0-9-]+) \| (.*) \|$`)

// TestMutationsApply tests that each patch still fits the code that it breaks, and that the list names each.
func TestMutationsApply(t *testing.T) {
	patches, err := filepath.Glob(mutations + "/*.patch")
	if err != nil {
		t.Fatal(err)
	}
	if len(patches) < leastGuards {
		t.Errorf("%d patches, and there were %d", len(patches), leastGuards)
	}
	table, err := os.ReadFile(mutations + "/README.md")
	if err != nil {
		t.Fatal(err)
	}
	listed := map[string]string{}
	for _, row := range mutationRow.FindAllStringSubmatch(string(table), -1) {
		listed[row[1]] = strings.TrimSpace(row[2])
	}
	for _, p := range patches {
		name := strings.TrimSuffix(filepath.Base(p), ".patch")
		if _, ok := listed[name]; !ok {
			t.Errorf("%s is not in the list", name)
		}
		delete(listed, name)
		text, err := os.ReadFile(p)
		if err != nil {
			t.Fatal(err)
		}
		if err := fits(string(text)); err != nil {
			t.Errorf("%s: %v: make the patch anew", name, err)
		}
	}
	for name := range listed {
		t.Errorf("the list has %s, and there is no patch", name)
	}
}

// fits reports why a patch does not fit the tree, or leaves a file that is no Go.
func fits(patch string) error {
	files := strings.Split(strings.TrimSuffix(patch, "\n"), "\n+++ b/")[1:]
	if len(files) == 0 {
		return fmt.Errorf("it changes nothing")
	}
	for _, part := range files {
		name, hunks, _ := strings.Cut(part, "\n")
		text, err := os.ReadFile(filepath.Join("..", "..", filepath.FromSlash(name)))
		if err != nil {
			return err
		}
		text = bytes.ReplaceAll(text, []byte("\r\n"), []byte("\n"))
		for _, h := range strings.Split("\n"+hunks, "\n@@ ")[1:] {
			before, after := sides(h)
			if n := bytes.Count(text, before); n != 1 {
				return fmt.Errorf("%s has the lines of a hunk %d times", name, n)
			}
			text = bytes.Replace(text, before, after, 1)
		}
		if _, err := parser.ParseFile(token.NewFileSet(), name, text, parser.SkipObjectResolution); err != nil {
			return err
		}
	}
	return nil
}

// sides returns the lines of a hunk before the change and after it.
func sides(hunk string) (before, after []byte) {
	for _, line := range strings.Split(hunk, "\n")[1:] {
		if line == "" {
			line = " " // an empty line of context whose space was lost
		}
		rest := line[1:] + "\n"
		switch line[0] {
		case ' ':
			before, after = append(before, rest...), append(after, rest...)
		case '-':
			before = append(before, rest...)
		case '+':
			after = append(after, rest...)
		default: // the next file
			return before, after
		}
	}
	return before, after
}
