package api

import (
	"fmt"
	"go/types"
	"slices"
	"strings"
)

// writer collects the lines of one package.
type writer struct {
	p     *types.Package
	lines []string
}

func (w *writer) add(format string, args ...any) {
	w.lines = append(w.lines, "pkg "+w.p.Path()+", "+fmt.Sprintf(format, args...))
}

func (w *writer) object(o types.Object) {
	switch o := o.(type) {
	case *types.Const:
		w.add("const %s %s = %s", o.Name(), w.typ(o.Type()), o.Val().ExactString())
	case *types.Var:
		w.add("var %s %s", o.Name(), w.typ(o.Type()))
	case *types.Func:
		w.add("func %s%s", o.Name(), w.signature(o.Signature()))
	case *types.TypeName:
		w.named(o)
	}
}

// named describes a type: what it is, its exported fields, and its exported methods, those of
// embedded types as well.
func (w *writer) named(o *types.TypeName) {
	if o.IsAlias() {
		w.add("type %s = %s", o.Name(), w.typ(types.Unalias(o.Type())))
		return
	}
	switch u := o.Type().Underlying().(type) {
	case *types.Struct:
		w.add("type %s%s struct", o.Name(), w.parameters(o))
		for f := range u.Fields() {
			if f.Exported() {
				w.add("type %s struct, %s %s", o.Name(), f.Name(), w.typ(f.Type()))
			}
		}
	case *types.Interface:
		w.add("type %s%s interface", o.Name(), w.parameters(o))
	default:
		w.add("type %s%s %s", o.Name(), w.parameters(o), w.typ(u))
	}
	methods := types.NewMethodSet(o.Type())
	if !types.IsInterface(o.Type()) {
		methods = types.NewMethodSet(types.NewPointer(o.Type()))
	}
	for s := range methods.Methods() {
		if f := s.Obj().(*types.Func); f.Exported() {
			receiver := o.Name()
			if types.NewMethodSet(o.Type()).Lookup(f.Pkg(), f.Name()) == nil {
				receiver = "*" + receiver
			}
			w.add("method (%s) %s%s", receiver, f.Name(), w.signature(s.Type().(*types.Signature)))
		}
	}
}

// parameters are the type parameters of a generic type with their constraints.
func (w *writer) parameters(o *types.TypeName) string {
	n, ok := o.Type().(*types.Named)
	if !ok {
		return ""
	}
	return w.constraints(n.TypeParams())
}

func (w *writer) constraints(l *types.TypeParamList) string {
	var all []string
	for t := range l.TypeParams() {
		all = append(all, t.Obj().Name()+" "+w.typ(t.Constraint()))
	}
	if len(all) == 0 {
		return ""
	}
	return "[" + strings.Join(all, ", ") + "]"
}

// signature is that of a function without the names of its parameters.
func (w *writer) signature(s *types.Signature) string {
	bare := func(t *types.Tuple) *types.Tuple {
		var vars []*types.Var
		for v := range t.Variables() {
			vars = append(vars, types.NewVar(v.Pos(), v.Pkg(), "", v.Type()))
		}
		return types.NewTuple(slices.Clip(vars)...)
	}
	plain := types.NewSignatureType(nil, nil, nil, bare(s.Params()), bare(s.Results()), s.Variadic())
	return w.constraints(s.TypeParams()) + strings.TrimPrefix(w.typ(plain), "func")
}

// typ writes a type, with the paths of packages but this one.
func (w *writer) typ(t types.Type) string { return types.TypeString(t, types.RelativeTo(w.p)) }
