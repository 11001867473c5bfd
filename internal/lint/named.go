package lint

import (
	"go/ast"
	"path"
	"regexp"
	"strings"
)

// named covers the pages for users and developers. The tables of C names have tests of their own.
func named() Rule {
	return Rule{
		Name: "pages-name-what-exists",
		Why:  "a page that names a method, file, variable or test that was renamed sends its reader on a search, and no compiler notices",
		Do:   "write today's name; what is not of this module needs no backquotes, or a form that this rule does not take for Go",
		check: func(t *Tree, report func(*File, int, string)) {
			have := t.declared()
			for _, f := range t.Files {
				if !isPage(f.Path) {
					continue
				}
				n := 0
				for line := range strings.Lines(f.Text) {
					n++
					for _, what := range have.missing(line) {
						report(f, n, what)
					}
				}
			}
		},
	}
}

func isPage(name string) bool {
	return name == "README.md" || path.Dir(name) == "docs" && path.Ext(name) == ".md" && !strings.HasPrefix(name, "docs/udapl-")
}

// declared is what the sources of a module have names for.
type declared struct {
	names    map[string]bool            // of what is declared or used, fields and methods included
	members  map[string]map[string]bool // by type: fields and methods
	parents  map[string][]string        // by type: what it embeds, or is another name for
	packages map[string]map[string]bool // by package name: what is declared at its top
	tests    map[string][]string        // by folder: functions that go test runs
	paths    map[string]bool            // files and folders
	files    []*File
}

var (
	quoted   = regexp.MustCompile("`([^`]+)`")
	selector = regexp.MustCompile(`^([A-Za-z]\w*)\.([A-Z]\w*)(?:\.([A-Z]\w*))?(?:\[\w+\])?(?:\(.*\))?$`)
	camel    = regexp.MustCompile(`^[A-Z]+[a-z]\w*$`)
	variable = regexp.MustCompile(`\bGODAPL_[A-Z0-9_]*[A-Z0-9]\b`)
	place    = regexp.MustCompile(`(?:^|[\s` + "`" + `(])(?:\./)?((?:internal|rdma|cmd|examples|contrib|compat|fuzz|\.ci)/[\w./-]*\w)`)
	goFile   = regexp.MustCompile(`^[\w/]+\.go$`)
	// rootOnly is a go get of the root of this module, which has no package: no checksums of what the packages import are
	// added then, and go build fails.
	rootOnly = regexp.MustCompile(`\bgo get github\.com/godapl/godapl(?:@|[^\w/]|$)`)
)

// missing says what a line names that is not there.
func (d *declared) missing(line string) (what []string) {
	for _, m := range quoted.FindAllStringSubmatch(line, -1) {
		if s := m[1]; !d.known(s) {
			what = append(what, "nothing is called "+s)
		}
	}
	for _, name := range variable.FindAllString(line, -1) {
		if !d.reads(name) {
			what = append(what, "nothing reads the variable "+name)
		}
	}
	for _, m := range place.FindAllStringSubmatch(line, -1) {
		if p := strings.TrimSuffix(m[1], "/..."); !d.paths[p] && loaded(p) {
			what = append(what, "there is no "+p)
		}
	}
	if rootOnly.MatchString(line) {
		what = append(what, "go get of the root of the module, which has no package")
	}
	return append(what, d.untested(line)...)
}

// loaded reports whether a tree has the path if it exists: Load skips data and products.
func loaded(p string) bool {
	return !strings.Contains(p, "testdata") && (path.Ext(p) == "" || written(p))
}

// known reports whether words between backquotes are no Go name, or one that exists.
func (d *declared) known(s string) bool {
	if goFile.MatchString(s) {
		return d.hasFile(s)
	}
	if camel.MatchString(s) {
		return d.names[s] || d.names[strings.TrimPrefix(s, "Vip")] // VIPL's names in C are ours with that word before them
	}
	m := selector.FindStringSubmatch(s)
	switch {
	case m == nil:
		return true
	case ast.IsExported(m[1]): // a type and its member
		return d.hasMember(m[1], m[2], 0)
	case d.packages[m[1]] == nil: // of another module, or a variable
		return true
	}
	return d.packages[m[1]][m[2]] && (m[3] == "" || d.hasMember(m[2], m[3], 0))
}

// hasMember reports whether a type of that name has the member, or embeds a type that has it.
func (d *declared) hasMember(typ, member string, depth int) bool {
	if d.members[typ][member] {
		return true
	}
	for _, p := range d.parents[typ] {
		if depth < 5 && d.hasMember(p, member, depth+1) {
			return true
		}
	}
	return false
}

// hasFile reports whether a file's path ends with these elements.
func (d *declared) hasFile(name string) bool {
	for p := range d.paths {
		if p == name || strings.HasSuffix(p, "/"+name) {
			return true
		}
	}
	return false
}

// reads reports whether code or a script names an environment variable, outside of prose.
func (d *declared) reads(variable string) bool {
	for _, f := range d.files {
		for _, form := range []string{`"` + variable + `"`, "$" + variable, "${" + variable} {
			if path.Ext(f.Path) != ".md" && strings.Contains(f.Text, form) {
				return true
			}
		}
	}
	return false
}
