package dat_test

import (
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// checkExtensions compares the exported functions that C does not have with the two places that
// list them: the package comment and docs/udapl.md.
func checkExtensions(t *testing.T, functions []string) {
	t.Helper()
	for _, list := range []struct {
		file, from, to string
		name           *regexp.Regexp
	}{
		{"doc.go", "// # Extensions\n", "\npackage dat", regexp.MustCompile(`(?:   - |and )\[(\w+)\]`)},
		{"../../docs/udapl.md", "### Extensions\n", "\n### ", regexp.MustCompile("(?m)^\\| `(\\w+)` ")},
	} {
		text, err := os.ReadFile(list.file)
		if err != nil {
			t.Fatal(err)
		}
		_, rest, found := strings.Cut(string(text), list.from)
		section, _, ended := strings.Cut(rest, list.to)
		if !found || !ended {
			t.Errorf("%s has no section of extensions", list.file)
			continue
		}
		var listed []string
		for _, m := range list.name.FindAllStringSubmatch(section, -1) {
			listed = append(listed, m[1])
		}
		for _, f := range functions {
			if !slices.Contains(listed, f) {
				t.Errorf("%s is no call of uDAPL, and %s does not list it as an extension", f, list.file)
			}
		}
		for _, f := range listed {
			if !slices.Contains(functions, f) {
				t.Errorf("%s lists %s, which is no extension of this package", list.file, f)
			}
		}
	}
}
