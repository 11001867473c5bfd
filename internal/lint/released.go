package lint

import (
	"path"
	"strings"
)

// released compares the modules of the repository with the page that says how they are released.
func released() Rule {
	const page = "docs/releasing.md"
	return Rule{
		Name: "modules-are-released",
		Why:  "a module of its own has its own tag, and names the release that it needs: one that the list of steps forgets is not usable after the release",
		Do:   "name the module's folder, between backquotes, in " + page,
		check: func(t *Tree, report func(*File, int, string)) {
			text := ""
			for _, f := range t.Files {
				if f.Path == page {
					text = f.Text
				}
			}
			for _, f := range t.Files {
				if path.Base(f.Path) == "go.mod" && f.Dir() != "." && !strings.Contains(text, "`"+f.Dir()+"`") {
					report(f, 1, page+" does not name the module "+f.Dir())
				}
			}
		},
	}
}
