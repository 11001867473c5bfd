package lint

import (
	"go/ast"
	"path"
	"strings"
)

// declared reads the sources for the names that a page may use.
func (t *Tree) declared() *declared {
	d := &declared{
		names: map[string]bool{}, members: map[string]map[string]bool{}, parents: map[string][]string{},
		packages: map[string]map[string]bool{}, tests: map[string][]string{}, paths: map[string]bool{}, files: t.Files,
	}
	for _, f := range t.Files {
		for p := f.Path; p != "."; p = path.Dir(p) {
			d.paths[p] = true
		}
		if f.Go == nil {
			continue
		}
		ast.Inspect(f.Go, func(n ast.Node) bool {
			if id, ok := n.(*ast.Ident); ok {
				d.names[id.Name] = true
			}
			return true
		})
		for _, decl := range f.Go.Decls {
			switch decl := decl.(type) {
			case *ast.FuncDecl:
				d.addFunc(f, decl)
			case *ast.GenDecl:
				for _, s := range decl.Specs {
					d.addSpec(f, s)
				}
			}
		}
	}
	return d
}

func (d *declared) addFunc(f *File, fn *ast.FuncDecl) {
	name := fn.Name.Name
	if fn.Recv != nil {
		d.addMember(baseName(fn.Recv.List[0].Type), name)
		return
	}
	d.addTop(f, name)
	if f.Test() && (strings.HasPrefix(name, "Test") || strings.HasPrefix(name, "Benchmark") || strings.HasPrefix(name, "Example")) {
		d.tests[f.Dir()] = append(d.tests[f.Dir()], name)
	}
}

func (d *declared) addSpec(f *File, s ast.Spec) {
	switch s := s.(type) {
	case *ast.ValueSpec:
		for _, n := range s.Names {
			d.addTop(f, n.Name)
		}
	case *ast.TypeSpec:
		name := s.Name.Name
		d.addTop(f, name)
		var fields *ast.FieldList
		switch typ := s.Type.(type) {
		case *ast.StructType:
			fields = typ.Fields
		case *ast.InterfaceType:
			fields = typ.Methods
		default:
			d.parents[name] = append(d.parents[name], baseName(typ))
			return
		}
		for _, field := range fields.List {
			for _, n := range field.Names {
				d.addMember(name, n.Name)
			}
			if len(field.Names) == 0 {
				d.parents[name] = append(d.parents[name], baseName(field.Type))
			}
		}
	}
}

func (d *declared) addTop(f *File, name string) {
	p := strings.TrimSuffix(f.Go.Name.Name, "_test")
	if d.packages[p] == nil {
		d.packages[p] = map[string]bool{}
	}
	d.packages[p][name] = true
}

func (d *declared) addMember(typ, name string) {
	if d.members[typ] == nil {
		d.members[typ] = map[string]bool{}
	}
	d.members[typ][name] = true
}

// baseName is the name of a type without package, pointer and type parameters.
func baseName(x ast.Expr) string {
	switch x := x.(type) {
	case *ast.Ident:
		return x.Name
	case *ast.StarExpr:
		return baseName(x.X)
	case *ast.SelectorExpr:
		return x.Sel.Name
	case *ast.IndexExpr:
		return baseName(x.X)
	case *ast.IndexListExpr:
		return baseName(x.X)
	}
	return ""
}
