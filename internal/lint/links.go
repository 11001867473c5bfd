package lint

import (
	"path"
	"regexp"
	"strings"
)

func links() Rule {
	return Rule{
		Name: "links-resolve",
		Why:  "a link to a page or heading that was renamed sends a reader nowhere, and no compiler notices",
		Do:   "write the page's path from the folder of the text, and the heading in lower case with hyphens",
		check: func(t *Tree, report func(*File, int, string)) {
			pages := map[string]*File{}
			for _, f := range t.Files {
				if path.Ext(f.Path) == ".md" {
					pages[f.Path] = f
				}
			}
			for _, f := range pages {
				n := 0
				for line := range strings.Lines(f.Text) {
					n++
					for _, m := range linkTo.FindAllStringSubmatch(line, -1) {
						if broken(pages, f, m[1]) {
							report(f, n, "the link to "+m[1]+" leads nowhere")
						}
					}
				}
			}
		},
	}
}

// linkTo finds the targets of links to pages of the module.
var linkTo = regexp.MustCompile(`\]\(([^):]*\.md(?:#[^)]*)?|#[^)]*)\)`)

func broken(pages map[string]*File, from *File, target string) bool {
	name, heading, _ := strings.Cut(target, "#")
	page := from
	if name != "" {
		page = pages[path.Join(from.Dir(), name)]
	}
	return page == nil || heading != "" && !hasHeading(page.Text, heading)
}

func hasHeading(text, anchor string) bool {
	for line := range strings.Lines(text) {
		if title := strings.TrimLeft(line, "#"); title != line && anchorOf(title) == anchor {
			return true
		}
	}
	return false
}

// anchorOf is the anchor that GitHub gives a heading.
func anchorOf(title string) string {
	var b strings.Builder
	for _, r := range strings.ToLower(strings.TrimSpace(title)) {
		switch {
		case r == ' ':
			b.WriteByte('-')
		case r == '-', r == '_', r >= 'a' && r <= 'z', r >= '0' && r <= '9', r > 127:
			b.WriteRune(r)
		}
	}
	return b.String()
}
