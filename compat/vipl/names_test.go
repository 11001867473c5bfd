package vipl_test

import (
	"errors"
	"go/ast"
	"go/constant"
	"go/parser"
	"go/token"
	"go/types"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// capitals are the words that the rule of the package comment keeps in capitals.
var capitals = []string{"CQ", "MTU", "NIC", "NS", "QOS", "RDMA", "VI"}

// goName is the rule.
func goName(c string) (name string) {
	for _, w := range strings.Split(strings.TrimPrefix(c, "VIP_"), "_") {
		if !slices.Contains(capitals, w) {
			w = w[:1] + strings.ToLower(w[1:])
		}
		name += w
	}
	return name
}

func table(t *testing.T, name string) (rows [][]string) {
	t.Helper()
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

// sources is the package without tests.
func sources(t *testing.T) (*token.FileSet, []*ast.File) {
	t.Helper()
	fset, entries := token.NewFileSet(), must(os.ReadDir("."))(t)
	var files []*ast.File
	for _, e := range entries {
		if strings.HasSuffix(e.Name(), ".go") && !strings.HasSuffix(e.Name(), "_test.go") {
			files = append(files, must(parser.ParseFile(fset, e.Name(), nil, 0))(t))
		}
	}
	return fset, files
}

func must[T any](v T, err error) func(*testing.T) T {
	return func(t *testing.T) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
}

// nothing imports nothing: constants need no other package.
type nothing struct{}

func (nothing) Import(path string) (*types.Package, error) { return nil, errors.New(path) }

func TestConstants(t *testing.T) {
	text := must(os.ReadFile("doc.go"))(t)
	if !strings.Contains(string(text), strings.Join(capitals, " ")+"\n") {
		t.Error("the package comment has other capitals")
	}
	fset, files := sources(t)
	conf := types.Config{Importer: nothing{}, Error: func(error) {}}
	p, _ := conf.Check("vipl", fset, files, nil)
	known := map[string]bool{"MaxDiscriminatorLen": true}
	for _, row := range table(t, "constants.txt") {
		name := goName(row[0])
		known[name] = true
		o, ok := p.Scope().Lookup(name).(*types.Const)
		if !ok {
			t.Errorf("%s: there is no constant %s", row[0], name)
			continue
		}
		have, _ := constant.Uint64Val(o.Val())
		if want, _ := strconv.ParseUint(row[1], 0, 64); have != want {
			t.Errorf("%s is %#x, want %#x", name, have, want)
		}
	}
	for _, name := range p.Scope().Names() {
		if o := p.Scope().Lookup(name); o.Exported() && !known[name] {
			if _, ok := o.(*types.Const); ok {
				t.Errorf("%s is no constant of VIPL", name)
			}
		}
	}
}

// own are exported functions that C does not have.
var own = []string{"AddressOf", "DescriptorAt", "SegmentsOf", "Memalign", "MakeNetAddress"}

func TestCalls(t *testing.T) {
	_, files := sources(t)
	have := map[string][]string{}
	for _, f := range files {
		for _, d := range f.Decls {
			fn, ok := d.(*ast.FuncDecl)
			if !ok || fn.Recv != nil || !fn.Name.IsExported() {
				continue
			}
			var args []string
			for _, field := range fn.Type.Params.List {
				for _, n := range field.Names {
					args = append(args, strings.ToLower(n.Name))
				}
			}
			have[fn.Name.Name] = args
		}
	}
	for _, row := range table(t, "calls.txt") {
		name := strings.TrimPrefix(row[0], "Vip")
		args, ok := have[name]
		delete(have, name)
		var wanted []string
		for _, a := range row[1:] {
			wanted = append(wanted, strings.ToLower(a))
		}
		switch {
		case !ok:
			t.Errorf("%s: there is no %s", row[0], name)
		case !slices.Equal(args, wanted):
			t.Errorf("%s takes %v, want %v", name, args, wanted)
		}
	}
	for name := range have {
		if !slices.Contains(own, name) {
			t.Errorf("%s is no call of VIPL", name)
		}
	}
}

// TestTableOfCalls: the table of docs/vipl.md has every call once, beside its name here.
func TestTableOfCalls(t *testing.T) {
	_, page, ok := strings.Cut(string(must(os.ReadFile("../../docs/vipl.md"))(t)), "\n## All calls\n")
	if !ok {
		t.Fatal("docs/vipl.md has no table of all calls")
	}
	left := map[string]bool{}
	for _, row := range table(t, "calls.txt") {
		left[row[0]] = true
	}
	for line := range strings.Lines(page) {
		cells := strings.Split(line, "|")
		if len(cells) != 4 {
			continue
		}
		here := quoted(cells[2])
		for i, c := range quoted(cells[1]) {
			switch {
			case !left[c]:
				t.Errorf("%s is no call, or is in the table twice", c)
			case i >= len(here) || "Vip"+here[i] != c:
				t.Errorf("beside %s the table has %v", c, here)
			}
			delete(left, c)
		}
	}
	for c := range left {
		t.Errorf("%s is not in the table", c)
	}
}

// quoted is the words between backquotes.
func quoted(text string) (words []string) {
	for i, part := range strings.Split(text, "`") {
		if i%2 == 1 {
			words = append(words, part)
		}
	}
	return words
}
