package lint_test

import (
	"os"
	"slices"
	"testing"

	"github.com/godapl/godapl/internal/lint"
)

// TestModule checks this very module.
func TestModule(t *testing.T) {
	tree, err := lint.Load(os.DirFS("../.."))
	if err != nil {
		t.Fatal(err)
	}
	// An empty tree would pass every rule.
	for _, path := range []string{"internal/hca/doc.go", "internal/lint/lint_test.go", "README.md", ".ci/run"} {
		if !slices.ContainsFunc(tree.Files, func(f *lint.File) bool { return f.Path == path }) {
			t.Errorf("%s was not read: the rules did not see the module", path)
		}
	}
	for _, rule := range lint.Rules() {
		t.Run(rule.Name, func(t *testing.T) {
			found := rule.Check(tree)
			for _, finding := range found {
				t.Error(finding)
			}
			if len(found) > 0 {
				t.Log(rule.Advice())
			}
		})
	}
}
