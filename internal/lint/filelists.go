package lint

import (
	"path"
	"regexp"
	"slices"
	"strings"
)

// listedFiles is how many files a package of the software adapter may have without a list of them.
const listedFiles = 5

func fileLists() Rule {
	return Rule{
		Name: "file-lists",
		Why:  "a newcomer finds code by the list of files in a package's comment, and a list that lacks files or names old ones leads astray",
		Do:   "name each file in a table of doc.go, by what it is about; sys_*.go stands for all files of that pattern",
		check: func(t *Tree, report func(*File, int, string)) {
			for dir, files := range t.packages() {
				if !within(dir, softRoot) {
					continue
				}
				var doc *File
				var names []string
				for _, f := range files {
					switch base := path.Base(f.Path); {
					case base == "doc.go":
						doc = f
					case !f.Test():
						names = append(names, base)
					}
				}
				if doc != nil {
					compareList(t, doc, names, report)
				}
			}
		},
	}
}

var (
	tableLine = regexp.MustCompile(`(?m)^//\t.*$`)
	fileName  = regexp.MustCompile(`(?:^|[\s(])([\w*]+\.go)\b`)
)

// compareList compares the table of a package comment with the files of the package.
func compareList(t *Tree, doc *File, names []string, report func(*File, int, string)) {
	var listed []string
	for _, line := range tableLine.FindAllString(doc.Text, -1) {
		for _, m := range fileName.FindAllStringSubmatch(line, -1) {
			listed = append(listed, m[1])
		}
	}
	if len(listed) == 0 && len(names) <= listedFiles {
		return
	}
	covers := func(pattern, name string) bool { ok, _ := path.Match(pattern, name); return ok }
	line := t.line(doc.Go.Package)
	var missing []string
	for _, n := range names {
		if !slices.ContainsFunc(listed, func(p string) bool { return covers(p, n) }) {
			missing = append(missing, n)
		}
	}
	if len(missing) > 0 {
		report(doc, line, "the package comment does not list "+strings.Join(missing, " "))
	}
	for _, p := range listed {
		if !slices.ContainsFunc(names, func(n string) bool { return covers(p, n) }) {
			report(doc, line, "the package comment lists "+p+", which does not exist")
		}
	}
}
