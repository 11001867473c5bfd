package ported

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// TestPorts compares what the docs say.
func TestPorts(t *testing.T) {
	for example, doc := range map[string]string{"datport": "udapl.md", "vipport": "vipl.md"} {
		dir := "../../examples/" + example
		carried, lines := count(t, dir+"/testdata/old.c", dir+"/main.go", dir+"/testdata/port.sed")
		text, err := os.ReadFile("../../docs/" + doc)
		if want := fmt.Sprintf("%d of %d lines", carried, lines); err != nil || !strings.Contains(string(text), want) {
			t.Errorf("docs/%s does not say %s, %v", doc, want, err)
		}
	}
}

// TestForms counts what rules for the form of C would do with the rest: they were written for one
// of the programs, and do less than half of the rest of the other. The docs say so.
func TestForms(t *testing.T) {
	rest := func(example string, scripts ...string) int {
		dir := "../../examples/" + example
		carried, lines := count(t, dir+"/testdata/old.c", dir+"/main.go", append([]string{dir + "/testdata/port.sed"}, scripts...)...)
		return lines - carried
	}
	done := func(example string) (done, before int) {
		before = rest(example)
		return before - rest(example, "testdata/form.sed"), before
	}
	own, ownRest := done("vipport")
	other, otherRest := done("datport")
	if 2*other > otherRest {
		t.Errorf("%d of %d lines of another program: offer the rules as a program", other, otherRest)
	}
	text, err := os.ReadFile("../../docs/vipl.md")
	want := fmt.Sprintf("%d of the %d lines, and %d of the %d", own, ownRest, other, otherRest)
	if err != nil || !strings.Contains(strings.Join(strings.Fields(string(text)), " "), want) {
		t.Errorf("docs/vipl.md does not say %q, %v", want, err)
	}
}

func TestCount(t *testing.T) {
	file := func(name, text string) string {
		name = filepath.Join(t.TempDir(), name)
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return name
	}
	c := file("c", "\n#include <a.h>\n/* two\nlines */\nint f(void)\n{\n\ta = 1;\n\tb = 2; // last\n}\n")
	port := file("go", "func f() int {\n\ta = 1\n\tb=2\n}\n")
	for script, want := range map[string]int{"s/;//g\n": 2, "s/x//\n": 0} {
		if carried, lines := count(t, c, port, file("sed", script)); carried != want || lines != 3 {
			t.Errorf("%q: %d of %d lines", script, carried, lines)
		}
	}
}
