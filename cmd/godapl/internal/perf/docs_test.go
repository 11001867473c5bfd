package perf

import (
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// documented finds the commands of a page, in code or between backquotes.
var documented = regexp.MustCompile("godapl perf (-[^`\n]*)")

// TestDocumentedCommands: every command in the documentation is one that perf accepts.
func TestDocumentedCommands(t *testing.T) {
	pages, err := filepath.Glob("../../../../docs/*.md")
	if err != nil {
		t.Fatal(err)
	}
	found := 0
	for _, page := range pages {
		text, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range documented.FindAllStringSubmatch(string(text), -1) {
			found++
			// The programs of other libraries need not be installed here.
			if _, err := parse(strings.Fields(m[1]), io.Discard); err != nil && !errors.Is(err, exec.ErrNotFound) {
				t.Errorf("%s: perf %s: %v", filepath.Base(page), m[1], err)
			}
		}
	}
	if found < 30 {
		t.Errorf("%d commands were found: the pages or the pattern have changed", found)
	}
}
