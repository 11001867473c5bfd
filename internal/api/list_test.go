package api

import (
	"flag"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

var update = flag.Bool("update", false, "write v0.txt anew")

// TestNothingDisappears compares the list with what is exported now, and with the list in
// the file GODAPL_API_BASE, which is that of the last release.
func TestNothingDisappears(t *testing.T) {
	if _, err := exec.LookPath("go"); err != nil {
		t.Skip("go is not installed here: ", err)
	}
	now, err := List(t.Context(), "../..", "./rdma/...", "./compat/dat", "./compat/vipl")
	if err != nil {
		t.Fatal(err)
	}
	for _, line := range now {
		if path, _, _ := strings.Cut(line, ","); strings.Contains(path+"/", "/internal/") {
			t.Errorf("no user can import this: %s", line)
		}
	}
	if *update {
		if err := os.WriteFile("v0.txt", []byte(strings.Join(now, "\n")+"\n"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	files := []string{"v0.txt"}
	if base := os.Getenv("GODAPL_API_BASE"); base != "" {
		files = append(files, base)
	}
	for _, file := range files {
		for _, line := range gone(lines(t, file), now) {
			t.Errorf("no longer there: %s\nif that is on purpose: go test ./internal/api -update, and a line in CHANGELOG.md", line)
		}
	}
}

// gone is what is in old only. Both are sorted.
func gone(old, now []string) (missing []string) {
	for _, line := range old {
		if _, found := slices.BinarySearch(now, line); !found {
			missing = append(missing, line)
		}
	}
	return missing
}

func lines(t *testing.T, file string) []string {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	list := strings.Split(strings.TrimSpace(string(text)), "\n")
	if len(list) < 100 || !slices.IsSorted(list) {
		t.Fatalf("%s has %d lines, sorted: %v", file, len(list), slices.IsSorted(list))
	}
	return list
}

// TestEachChangeIsSeen describes a small package and variants of it: each takes something
// away from programs that use it, or only adds something.
func TestEachChangeIsSeen(t *testing.T) {
	const old = `package p
type T struct { A int; b int }
func (t *T) Do(n int) error { return nil }
type I interface { Call(x string) }
type G[K comparable] func(K) T
const C = 3
var V []T
func F(a, b int) (c *T) { return nil }
type E struct { *T }
`
	before := describe(t, old)
	for _, c := range []struct {
		from, to string
		gone     int
	}{
		{"A int", "A int; B int", 0},
		{"b int }", "c int }", 0},
		{"F(a, b int)", "F(x, y int)", 0},
		{"const C", "const D, C = 1, 3 //", 0},
		{"A int", "A int64", 1},
		{"A int; ", "", 1},
		{"Do(n int)", "Do(n int64)", 2}, // of T, and of E, which embeds it
		{"t *T", "t T", 1},              // that takes nothing away, but is told, too
		{"Call(x string)", "Call(x []string)", 1},
		{"comparable", "any", 1},
		{"C = 3", "C = 4", 1},
		{"V []T", "V []*T", 1},
		{"func F", "func f", 1},
		{"b int) (c *T)", "b int) (c T)", 1},
		{"{ *T }", "{ t T }", 2}, // the field, and the method that it brought
	} {
		if !strings.Contains(old, c.from) {
			t.Fatalf("there is no %q", c.from)
		}
		changed := strings.Replace(old, c.from, c.to, 1)
		changed = strings.Replace(changed, "return nil }\ntype E", "panic(0) }\ntype E", 1)
		if got := gone(before, describe(t, changed)); len(got) != c.gone {
			t.Errorf("%q to %q: %d lines are gone, want %d: %q", c.from, c.to, len(got), c.gone, got)
		}
	}
}

func describe(t *testing.T, source string) []string {
	t.Helper()
	fset := token.NewFileSet()
	f, err := parser.ParseFile(fset, "p.go", source, 0)
	if err != nil {
		t.Fatal(err)
	}
	config := types.Config{Importer: importer.Default(), IgnoreFuncBodies: true}
	p, err := config.Check("p", fset, []*ast.File{f}, nil)
	if err != nil {
		t.Fatal(err)
	}
	list := Describe(p)
	slices.Sort(list)
	return list
}
