package lint_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/godapl/godapl/internal/lint"
)

// A sample is a small module and what a rule must say about it.
type sample struct {
	rule  string
	files map[string]string
	want  []string // path:line of each finding; none: the source is good
}

func load(t *testing.T, files map[string]string) *lint.Tree {
	t.Helper()
	fsys := fstest.MapFS{"go.mod": {Data: []byte("module m.test/m\n\ngo 1.26\n")}}
	for name, text := range files {
		fsys[name] = &fstest.MapFile{Data: []byte(text)}
	}
	tree, err := lint.Load(fsys)
	if err != nil {
		t.Fatal(err)
	}
	return tree
}

func ruleNamed(t *testing.T, name string) lint.Rule {
	t.Helper()
	for _, r := range lint.Rules() {
		if r.Name == name {
			return r
		}
	}
	t.Fatalf("no rule %s", name)
	return lint.Rule{}
}

// samples are those of all files of this package.
func samples() []sample {
	return slices.Concat(directionSamples, confinedSamples, packageSamples, textSamples, exposedSamples, sizeSamples)
}

// TestRulesFire breaks every rule on purpose, and keeps it in similar cases.
func TestRulesFire(t *testing.T) {
	for i, s := range samples() {
		t.Run(fmt.Sprintf("%s/%d", s.rule, i), func(t *testing.T) {
			var got []string
			for _, f := range ruleNamed(t, s.rule).Check(load(t, s.files)) {
				got = append(got, fmt.Sprintf("%s:%d", f.Path, f.Line))
			}
			if !slices.Equal(got, s.want) {
				t.Errorf("findings %v, want %v in\n%v", got, s.want, s.files)
			}
		})
	}
}

func TestEveryRuleHasBadAndGoodSource(t *testing.T) {
	bad, good := map[string]bool{}, map[string]bool{}
	for _, s := range samples() {
		bad[s.rule] = bad[s.rule] || len(s.want) > 0
		good[s.rule] = good[s.rule] || len(s.want) == 0
	}
	for _, r := range lint.Rules() {
		if !bad[r.Name] || !good[r.Name] {
			t.Errorf("rule %s: bad source %t, good source %t; both are needed", r.Name, bad[r.Name], good[r.Name])
		}
	}
}

// TestMessages: a finding tells place, fact, reason and cure.
func TestMessages(t *testing.T) {
	names := map[string]bool{}
	for _, r := range lint.Rules() {
		if r.Name == "" || len(r.Why) < 20 || len(r.Do) < 20 || names[r.Name] {
			t.Errorf("rule %q: name, reason and cure must be there, and the name unique", r.Name)
		}
		names[r.Name] = true
		if text := r.Advice(); !strings.Contains(text, r.Why) || !strings.Contains(text, r.Do) {
			t.Errorf("rule %q: the advice lacks reason or cure: %s", r.Name, text)
		}
	}
	at := lint.Finding{Path: "rdma/a.go", Line: 7, What: "wrong thing"}
	if got := at.String(); got != "rdma/a.go:7: wrong thing" {
		t.Errorf("finding reads %q", got)
	}
}

func TestLoadRefuses(t *testing.T) {
	if _, err := lint.Load(fstest.MapFS{"a/a.go": {Data: []byte("package a\n")}}); err == nil {
		t.Error("a folder without go.mod was taken for a module")
	}
	broken := fstest.MapFS{"go.mod": {Data: []byte("module m\n")}, "a/a.go": {Data: []byte("package a\nfunc {\n")}}
	if _, err := lint.Load(broken); err == nil || !strings.Contains(err.Error(), "a/a.go:2") {
		t.Errorf("a file that does not parse: %v, want its place", err)
	}
}

// TestLoadSkips: data and products are not sources; hand-written files are.
func TestLoadSkips(t *testing.T) {
	tree := load(t, map[string]string{
		"a/a.go": "package a\n", "a/testdata/x.go": "no Go", "a/testdata/corpus.md": "", "build/x.go": "no Go",
		".git/x.go": "no Go", "_old/x.go": "no Go", "a/blob.json": "", ".ci/run": "", "docs/x.md": "", "a/copy_amd64.s": "",
	})
	var got []string
	for _, f := range tree.Files {
		got = append(got, f.Path)
	}
	want := []string{".ci/run", "a/a.go", "a/copy_amd64.s", "docs/x.md", "go.mod"}
	if !slices.Equal(got, want) || tree.Module != "m.test/m" {
		t.Errorf("read %v of %s, want %v", got, tree.Module, want)
	}
}
