package lint

import (
	"go/ast"
	"strings"
)

func exposed() Rule {
	return Rule{
		Name: "api-names-no-internals",
		Why:  "a user cannot read the documentation of an internal type, nor write its name, and it could never change once it is in the API",
		Do:   "use a public type, or pass the value through a variable of an internal package, as internal/zonemem does",
		check: func(t *Tree, report func(*File, int, string)) {
			for dir, files := range t.packages() {
				if !within(dir, "rdma") && dir != "compat/dat" && dir != "compat/vipl" {
					continue
				}
				for _, f := range files {
					if f.Test() {
						continue
					}
					inner := map[string]bool{}
					for _, s := range f.Go.Imports {
						if imported, own := t.own(importPath(s)); own && within(imported, "internal") {
							inner[localName(f, importPath(s))] = true
						}
					}
					for _, part := range shown(f.Go) {
						ast.Inspect(part, func(n ast.Node) bool {
							if s, ok := n.(*ast.SelectorExpr); ok {
								if x, ok := s.X.(*ast.Ident); ok && inner[x.Name] {
									report(f, t.line(s.Pos()), "the API names "+x.Name+"."+s.Sel.Name)
								}
							}
							return true
						})
					}
				}
			}
		},
	}
}

// shown are the parts of a file that go doc shows: signatures, exported fields, and the
// values of exported constants.
func shown(f *ast.File) (parts []ast.Node) {
	for _, d := range f.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			if d.Name.IsExported() && (d.Recv == nil || receiverIsExported(d.Recv)) {
				parts = append(parts, d.Type)
			}
		case *ast.GenDecl:
			for _, s := range d.Specs {
				switch s := s.(type) {
				case *ast.TypeSpec:
					if s.Name.IsExported() {
						parts = append(parts, shownType(s.Type)...)
					}
				case *ast.ValueSpec:
					if s.Names[0].IsExported() {
						parts = append(parts, s)
					}
				}
			}
		}
	}
	return parts
}

// shownType is a type without the fields that are not exported.
func shownType(e ast.Expr) (parts []ast.Node) {
	s, ok := e.(*ast.StructType)
	if !ok {
		return []ast.Node{e}
	}
	for _, f := range s.Fields.List {
		if len(f.Names) == 0 || f.Names[0].IsExported() {
			parts = append(parts, f.Type)
		}
	}
	return parts
}

func receiverIsExported(recv *ast.FieldList) bool {
	var name string
	ast.Inspect(recv.List[0].Type, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok && name == "" {
			name = id.Name
		}
		return name == ""
	})
	return ast.IsExported(strings.TrimPrefix(name, "*"))
}
