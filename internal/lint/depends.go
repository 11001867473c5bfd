package lint

import (
	"path"
	"slices"
	"strings"
)

func dependencies() Rule {
	return Rule{
		Name: "dependencies-are-explained",
		Why:  "every module that users must trust and build with ours earns its place, in a line that they can read",
		Do:   "add it to the README's table of dependencies, with what it is for and why this one; or do without it",
		check: func(t *Tree, report func(*File, int, string)) {
			readme := ""
			for _, f := range t.Files {
				if f.Path == "README.md" {
					readme = f.Text
				}
			}
			for _, f := range t.Files {
				if path.Base(f.Path) != "go.mod" {
					continue
				}
				for n, line := range slices.Collect(strings.Lines(f.Text)) {
					if name := required(line); name != "" && name != t.Module && !strings.Contains(readme, "| `"+name+"` |") {
						report(f, n+1, name+" is not in the README")
					}
				}
			}
		},
	}
}

// required is the module that a line of go.mod asks for directly.
func required(line string) string {
	line = strings.TrimPrefix(strings.TrimSpace(line), "require ")
	if strings.HasSuffix(line, "// indirect") {
		return ""
	}
	fields := strings.Fields(line)
	if len(fields) >= 2 && strings.HasPrefix(fields[1], "v") && strings.Contains(fields[0], "/") {
		return fields[0]
	}
	return ""
}
