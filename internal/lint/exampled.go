package lint

import (
	"go/ast"
	"go/doc"
	"go/token"
	"strings"
)

// exampled covers the API that people learn here. The types of compat/dat are those of a
// C interface, most of them the members of a structure or the values of a field: an
// example for each would say less than the examples of the calls do.
func exampled() Rule {
	return Rule{
		Name: "exported-types-have-examples",
		Why:  "an example is the part of the documentation that people read first, and the one that cannot go stale: go test runs it",
		Do:   "write func Example<Type>() or Example<Type>_<Method>() with an Output comment in a test file of the package",
		check: func(t *Tree, report func(*File, int, string)) {
			for dir, files := range t.packages() {
				if dir != "rdma" && dir != "rdma/event" && dir != "rdma/mem" && dir != "rdma/status" && dir != "rdma/rsocket" && dir != "rdma/valkey" && dir != "rdma/metrics" && dir != "rdma/rdmatest" {
					continue
				}
				shown := runnable(files)
				for _, f := range files {
					for _, name := range exportedTypes(f) {
						if !shown[name.Name] {
							report(f, t.line(name.Pos()), "type "+name.Name+" has no example that go test runs")
						}
					}
				}
			}
		},
	}
}

// runnable are the names of which the files have examples with an output: go
// test only compiles the others.
func runnable(files []*File) map[string]bool {
	var tests []*ast.File
	for _, f := range files {
		if f.Test() {
			tests = append(tests, f.Go)
		}
	}
	shown := map[string]bool{}
	for _, e := range doc.Examples(tests...) {
		if e.Output != "" || e.EmptyOutput {
			name, _, _ := strings.Cut(e.Name, "_")
			shown[name] = true
		}
	}
	return shown
}

func exportedTypes(f *File) []*ast.Ident {
	if f.Test() {
		return nil
	}
	var names []*ast.Ident
	for _, d := range f.Go.Decls {
		g, ok := d.(*ast.GenDecl)
		if !ok || g.Tok != token.TYPE {
			continue
		}
		for _, s := range g.Specs {
			if name := s.(*ast.TypeSpec).Name; name.IsExported() {
				names = append(names, name)
			}
		}
	}
	return names
}
