package dat_test

import (
	"go/ast"
	"go/constant"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"maps"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
)

// capitals are the words that the rule of the package comment keeps in capitals.
func capitals(t *testing.T) map[string]bool {
	src, err := os.ReadFile("doc.go")
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(src), "capitals throughout:")
	list, _, _ := strings.Cut(rest, "So dat_evd_wait")
	words := map[string]bool{}
	for _, w := range strings.Fields(strings.ReplaceAll(list, "//", " ")) {
		words[w] = true
	}
	if len(words) < 45 {
		t.Fatalf("%d words in the package comment", len(words))
	}
	return words
}

// goName is the rule.
func goName(c string, capital map[string]bool) string {
	c = strings.TrimPrefix(strings.ToUpper(c), "DAT_")
	if c == "STRERROR" {
		return "StrError"
	}
	var b strings.Builder
	for _, w := range strings.Split(c, "_") {
		if !capital[w] && w != "" {
			w = w[:1] + strings.ToLower(w[1:])
		}
		b.WriteString(w)
	}
	return b.String()
}

func table(t *testing.T, name string) (rows [][]string) {
	text, err := os.ReadFile("testdata/" + name)
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		if f := strings.Fields(line); len(f) > 0 && f[0] != "#" {
			rows = append(rows, f)
		}
	}
	return rows
}

// pkg is the package's sources, without tests.
func pkg(t *testing.T) (*token.FileSet, []*ast.File) {
	fset := token.NewFileSet()
	entries, err := os.ReadDir(".")
	if err != nil {
		t.Fatal(err)
	}
	var files []*ast.File
	for _, e := range entries {
		if !strings.HasSuffix(e.Name(), ".go") || strings.HasSuffix(e.Name(), "_test.go") {
			continue
		}
		f, err := parser.ParseFile(fset, e.Name(), nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, f)
	}
	return fset, files
}

// checked is the package with its types. That takes seconds, so it is done once.
func checked(t *testing.T) *types.Package {
	t.Helper()
	once.Do(func() {
		fset, files := pkg(t)
		conf := types.Config{Importer: importer.Default(), IgnoreFuncBodies: true, Error: func(error) {}}
		typed, _ = conf.Check("dat", fset, files, nil)
	})
	return typed
}

var (
	once  sync.Once
	typed *types.Package
)

// TestConstants compares every constant of the table with the package's.
func TestConstants(t *testing.T) {
	p := checked(t)
	capital := capitals(t)
	rows := table(t, "constants.txt")
	if len(rows) < 780 {
		t.Fatalf("the table has %d constants", len(rows))
	}
	known := map[string]bool{}
	for _, row := range rows {
		c, number := row[0], row[3]
		name := goName(c, capital)
		known[name] = true
		o, ok := p.Scope().Lookup(name).(*types.Const)
		if !ok {
			t.Errorf("%s: there is no constant %s", c, name)
			continue
		}
		have := o.Val().ExactString()
		if o.Val().Kind() == constant.Bool {
			have = map[string]string{"false": "0", "true": "1"}[have]
		}
		if have != number {
			t.Errorf("%s is %s, want %s (1.2: %s, 2.0: %s)", name, have, number, row[1], row[2])
		}
		if row[1] != "-" && row[1] != number {
			t.Errorf("%s: the table has %s, 1.2 has %s", c, number, row[1])
		}
	}
	for _, name := range p.Scope().Names() {
		if o := p.Scope().Lookup(name); o.Exported() && !known[name] {
			if _, ok := o.(*types.Const); ok {
				t.Errorf("%s is no constant of uDAPL", name)
			}
		}
	}
}

// TestCalls compares every call of the table with the package's functions: names,
// and arguments in their order. The other functions must be in the lists of extensions.
func TestCalls(t *testing.T) {
	_, files := pkg(t)
	have := map[string][]string{}
	for _, f := range files {
		for _, d := range f.Decls {
			fn, ok := d.(*ast.FuncDecl)
			if !ok || fn.Recv != nil || !fn.Name.IsExported() {
				continue
			}
			args := []string{}
			for _, field := range fn.Type.Params.List {
				for _, n := range field.Names {
					args = append(args, strings.ToLower(n.Name))
				}
			}
			have[fn.Name.Name] = args
		}
	}
	capital := capitals(t)
	calls := table(t, "calls.txt")
	if len(calls) < 120 {
		t.Fatalf("the table has %d calls", len(calls))
	}
	for _, row := range calls {
		name := goName(row[0], capital)
		args, ok := have[name]
		delete(have, name)
		var wanted []string
		for _, a := range row[2:] {
			wanted = append(wanted, strings.ReplaceAll(a, "_", ""))
		}
		switch {
		case !ok:
			t.Errorf("%s: there is no %s", row[0], name)
		case !slices.Equal(args, wanted):
			t.Errorf("%s takes %v, want %v", name, args, wanted)
		}
	}
	checkExtensions(t, slices.Sorted(maps.Keys(have)))
}

// TestMembers looks for every member of every structure.
func TestMembers(t *testing.T) {
	_, files := pkg(t)
	have := map[string]bool{} // Structure.Member
	for _, f := range files {
		ast.Inspect(f, func(n ast.Node) bool {
			spec, ok := n.(*ast.TypeSpec)
			if !ok {
				return true
			}
			if s, ok := spec.Type.(*ast.StructType); ok {
				for _, field := range s.Fields.List {
					for _, name := range field.Names {
						have[spec.Name.Name+"."+name.Name] = true
					}
				}
			}
			return false
		})
	}
	capital := capitals(t)
	rows := table(t, "members.txt")
	if len(rows) < 30 {
		t.Fatalf("the table has %d structures", len(rows))
	}
	for _, row := range rows {
		for _, c := range row[1:] {
			// A member keeps its dat_, which goName drops.
			member := strings.TrimPrefix(goName("x_"+c, capital), "X")
			if name := goName(row[0], capital) + "." + member; !have[name] {
				t.Errorf("%s of %s: there is no %s", c, row[0], name)
			}
		}
	}
}
