package ibv

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
)

// Sizes, offsets and constants are those of rdma-core's headers: a C program
// prints them.
func TestLayoutIsThatOfTheHeaders(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("the headers of rdma-core are for Linux")
	}
	if runtime.GOARCH != "amd64" && runtime.GOARCH != "arm64" {
		t.Skip("devices are for amd64 and arm64, and so are the layouts; this is ", runtime.GOARCH)
	}
	gcc, err := exec.LookPath("gcc")
	if err != nil {
		t.Skip("no gcc here to ask the headers with: ", err)
	}
	for _, h := range []string{"infiniband/verbs.h", "rdma/rdma_cma.h"} {
		if _, err := os.Stat(filepath.Join("/usr/include", h)); err != nil {
			t.Skip("no headers here; Debian's are in libibverbs-dev and librdmacm-dev: ", err)
		}
	}
	var want []string
	for _, m := range mirrors {
		want = append(want, m.expectations(t)...)
	}
	for _, family := range constants {
		for name, v := range family {
			want = append(want, fmt.Sprintf("%s = %d", name, v))
		}
	}
	var program strings.Builder
	program.WriteString("#include <stddef.h>\n#include <stdio.h>\n#include <rdma/rdma_cma.h>\nint main(void) {\n")
	for _, line := range want {
		expr, _, _ := strings.Cut(line, " = ")
		fmt.Fprintf(&program, "\tprintf(\"%%s = %%lld\\n\", %q, (long long)(%s));\n", expr, expr)
	}
	program.WriteString("\treturn 0;\n}\n")
	dir := t.TempDir()
	source, binary := filepath.Join(dir, "layout.c"), filepath.Join(dir, "layout")
	if err := os.WriteFile(source, []byte(program.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command(gcc, "-o", binary, source).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	out, err := exec.Command(binary).Output()
	if err != nil {
		t.Fatal(err)
	}
	got := strings.Split(strings.TrimSpace(string(out)), "\n")
	if len(got) != len(want) {
		t.Fatalf("%d lines printed, %d expected", len(got), len(want))
	}
	for i := range want {
		if got[i] != want[i] {
			t.Errorf("the headers have %s, this package %s", got[i], want[i])
		}
	}
	t.Logf("%d sizes, offsets and constants agree", len(want))
}

// Every structure with a C layout and every constant of this package is in the
// tables above.
func TestLayoutTablesAreComplete(t *testing.T) {
	mirrored := map[string]bool{}
	for _, m := range mirrors {
		name := fmt.Sprintf("%T", m.v)
		mirrored[name[strings.LastIndexByte(name, '.')+1:]] = true
	}
	tables := names(t, "layout_const_test.go")
	tables["NoLimit"] = true // of the process, not of verbs
	for _, file := range goFiles(t) {
		for _, d := range parse(t, file).Decls {
			g, ok := d.(*ast.GenDecl)
			if !ok {
				continue
			}
			for _, s := range g.Specs {
				switch s := s.(type) {
				case *ast.TypeSpec:
					if hostLayout(s.Type) && !mirrored[s.Name.Name] {
						t.Errorf("%s: %s is not compared with a C structure", file, s.Name)
					}
				case *ast.ValueSpec:
					for _, n := range s.Names {
						if g.Tok == token.CONST && n.IsExported() && !strings.HasPrefix(file, "sys_") && !tables[n.Name] {
							t.Errorf("%s: %s is not compared with a C constant", file, n)
						}
					}
				}
			}
		}
	}
}

// hostLayout is whether a structure says that C knows it too.
func hostLayout(e ast.Expr) bool {
	s, ok := e.(*ast.StructType)
	if !ok || len(s.Fields.List) == 0 {
		return false
	}
	sel, ok := s.Fields.List[0].Type.(*ast.SelectorExpr)
	return ok && sel.Sel.Name == "HostLayout"
}

func goFiles(t *testing.T) []string {
	t.Helper()
	files, err := filepath.Glob("*.go")
	if err != nil || len(files) == 0 {
		t.Skip("the sources of the package are not here: ", err)
	}
	return slices.DeleteFunc(files, func(f string) bool { return strings.HasSuffix(f, "_test.go") })
}

func parse(t *testing.T, file string) *ast.File {
	t.Helper()
	f, err := parser.ParseFile(token.NewFileSet(), file, nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func names(t *testing.T, file string) map[string]bool {
	t.Helper()
	if _, err := os.Stat(file); err != nil {
		t.Skip("the sources of the package are not here: ", err)
	}
	all := map[string]bool{}
	ast.Inspect(parse(t, file), func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok {
			all[id.Name] = true
		}
		return true
	})
	return all
}
