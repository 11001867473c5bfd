package lint

import (
	"go/ast"
	"path"
	"slices"
	"strings"
)

func leaks() Rule {
	return Rule{
		Name: "no-leaks",
		Why:  "every goroutine has an owner who waits for it, and only a check at the end of each package's tests shows that",
		Do:   "add to one test file: func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }, of go.uber.org/goleak",
		check: func(t *Tree, report func(*File, int, string)) {
			for dir, files := range t.packages() {
				tests := slices.DeleteFunc(slices.Clone(files), func(f *File) bool { return !f.Test() })
				if len(tests) > 0 && !slices.ContainsFunc(tests, verifiesLeaks) {
					report(tests[0], 1, "no TestMain of "+dir+" calls goleak")
				}
			}
		},
	}
}

func verifiesLeaks(f *File) bool {
	name := localName(f, "go.uber.org/goleak")
	if name == "" {
		return false
	}
	for _, d := range f.Go.Decls {
		fn, ok := d.(*ast.FuncDecl)
		if !ok || fn.Recv != nil || fn.Name.Name != "TestMain" {
			continue
		}
		called := false
		ast.Inspect(fn, func(n ast.Node) bool {
			called = called || selects(n, name, "")
			return !called
		})
		return called
	}
	return false
}

func packageDoc() Rule {
	return Rule{
		Name: "package-doc",
		Why:  "a newcomer opens a package at doc.go and finds there, and only there, what it is and how it is used",
		Do:   "write the package comment in doc.go (a program may have it in main.go), and leave a blank line under other files' opening comments",
		check: func(t *Tree, report func(*File, int, string)) {
			for dir, files := range t.packages() {
				found := false
				for _, f := range files {
					if f.Test() || f.Go.Doc.Text() == "" {
						continue
					}
					if !docFile(f) {
						report(f, t.line(f.Go.Doc.Pos()), "package comment outside doc.go")
						continue
					}
					found = true
					if name := f.Go.Name.Name; name != "main" && !strings.HasPrefix(f.Go.Doc.Text(), "Package "+name+" ") {
						report(f, t.line(f.Go.Doc.Pos()), "package comment does not begin with \"Package "+name+"\"")
					}
				}
				if !found {
					report(files[0], 1, "no doc.go with a package comment in "+dir)
				}
			}
		},
	}
}

func docFile(f *File) bool {
	base := path.Base(f.Path)
	return base == "doc.go" || base == "main.go" && f.Go.Name.Name == "main"
}

// topFolders are the folders of the root that may hold Go.
var topFolders = []string{"rdma", "cmd", "compat", "contrib", "internal", "examples", "fuzz"}

func topLevel() Rule {
	return Rule{
		Name: "known-folders",
		Why:  "a newcomer sees at the root what there is: " + strings.Join(topFolders, ", ") + "; more folders need a reason that is seen at once",
		Do:   "put the package under one of these, most often internal",
		check: func(t *Tree, report func(*File, int, string)) {
			for dir, files := range t.packages() {
				top, _, _ := strings.Cut(dir, "/")
				if !slices.Contains(topFolders, top) {
					report(files[0], 1, "Go package in folder "+top)
				}
			}
		},
	}
}
