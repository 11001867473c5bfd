package fuzz_test

import (
	"io/fs"
	"os"
	"regexp"
	"strings"
	"testing"
)

// TestReadmeNamesEveryTarget: README.md has the command for each target of the module.
func TestReadmeNamesEveryTarget(t *testing.T) {
	text, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	target := regexp.MustCompile(`(?m)^func (Fuzz\w+)\(f \*testing\.F\)`)
	count := 0
	module := os.DirFS("..")
	err = fs.WalkDir(module, ".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(path, "_test.go") {
			return err
		}
		source, err := fs.ReadFile(module, path)
		if err != nil {
			return err
		}
		for _, m := range target.FindAllSubmatch(source, -1) {
			count++
			if name := string(m[1]); !strings.Contains(string(text), "-fuzz '^"+name+"$'") {
				t.Errorf("%s: how to run %s is not in README.md", path, name)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if count < 10 {
		t.Errorf("%d targets were found, which cannot be all", count)
	}
}
