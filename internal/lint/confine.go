package lint

import (
	"fmt"
	"go/ast"
	"path"
	"slices"
	"strings"
)

// confinements keep code that the compiler cannot check in few, named places.
func confinements() []Rule {
	return []Rule{
		{
			Name: "no-cgo",
			Why:  "the module builds with CGO_ENABLED=0 for every system; a C interface, should there be one, lives in compat/dat/provider",
			Do:   "load the library at run time in a sys_*.go file, or write it in Go",
			check: eachImport(func(f *File, imported string) string {
				if imported != "C" || f.In("compat/dat/provider") {
					return ""
				}
				return "cgo is not used here"
			}),
		},
		{
			Name: "unsafe-is-named",
			Why:  "whoever reviews memory safety or a port to another system must find all of it by file name",
			Do:   "move the few lines into a file named *_unsafe.go or sys_*.go (tests: sys_*_test.go, *_unsafe_test.go) and give them a safe function",
			check: eachImport(func(f *File, imported string) string {
				if !confined(imported) || confining(path.Base(f.Path)) || imported == "unsafe" && importsC(f) {
					return ""
				}
				return fmt.Sprintf("%s is not imported in a file of this name", imported)
			}),
		},
	}
}

// importsC reports whether a file may call C. There C's void * is unsafe.Pointer in
// every argument: no function could hide it.
func importsC(f *File) bool {
	return f.In("compat/dat/provider") && slices.ContainsFunc(f.Go.Imports, func(s *ast.ImportSpec) bool { return importPath(s) == "C" })
}

// confined reports whether an import is unchecked. The numbers in syscall count too:
// they differ from system to system.
func confined(imported string) bool {
	for _, p := range []string{
		"unsafe", "syscall", "golang.org/x/sys/unix", "golang.org/x/sys/windows", "github.com/ebitengine/purego",
	} {
		if within(imported, p) {
			return true
		}
	}
	return false
}

func confining(base string) bool {
	return strings.HasPrefix(base, "sys_") || strings.HasSuffix(base, "_unsafe.go") || strings.HasSuffix(base, "_unsafe_test.go")
}

func random() Rule {
	return Rule{
		Name: "no-old-rand",
		Why:  "math/rand is slower, and its global functions hide the seed that would repeat a failure",
		Do:   "use math/rand/v2 with a source seeded by a printed number, or crypto/rand for keys",
		check: eachImport(func(_ *File, imported string) string {
			if imported != "math/rand" {
				return ""
			}
			return "math/rand is imported"
		}),
	}
}

// eachImport makes a check from a function that judges a single import and returns the
// finding, or "".
func eachImport(judge func(f *File, imported string) string) func(*Tree, func(*File, int, string)) {
	return func(t *Tree, report func(*File, int, string)) {
		for _, f := range t.gofiles() {
			for _, s := range f.Go.Imports {
				if what := judge(f, importPath(s)); what != "" {
					report(f, t.line(s.Pos()), what)
				}
			}
		}
	}
}
