package lint

import (
	"fmt"
	"go/ast"
	"path"
	"strings"
)

// Limits, in lines. Tests do not count for a package.
const (
	packageLines = 4500
	fileLines    = 450
)

func sizes() Rule {
	return Rule{
		Name: "sizes",
		Why:  "a package of the software adapter must fit into a reader's head, and a file on a few screens",
		Do:   "move what a path or layer above does not need into a package below, or what nothing here needs into one above; divide a file by what its parts are about",
		check: func(t *Tree, report func(*File, int, string)) {
			for dir, files := range t.packages() {
				total, first := 0, (*File)(nil)
				for _, f := range files {
					n := strings.Count(f.Text, "\n")
					if n > fileLines && !ast.IsGenerated(f.Go) {
						report(f, n, fmt.Sprintf("%d lines, of at most %d", n, fileLines))
					}
					if f.Test() {
						continue
					}
					total += n
					if first == nil || path.Base(f.Path) == "doc.go" {
						first = f
					}
				}
				if within(dir, softRoot) && total > packageLines {
					report(first, t.line(first.Go.Package), fmt.Sprintf("the package has %d lines without tests, of at most %d", total, packageLines))
				}
			}
		},
	}
}
