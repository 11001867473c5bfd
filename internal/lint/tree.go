package lint

import (
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path"
	"strconv"
	"strings"
)

// A Tree is the text of a module: Go sources, parsed, and everything else that
// people write by hand.
type Tree struct {
	Module string // module path, from go.mod
	Files  []*File
	fset   *token.FileSet
}

// A File is one file of a tree.
type File struct {
	Path string // from the module's root, with slashes
	Text string
	Go   *ast.File // nil if it is not Go
}

// Load reads the module whose root is the root of fsys. It skips folders that the go
// command ignores, except .ci.
func Load(fsys fs.FS) (*Tree, error) {
	t := &Tree{fset: token.NewFileSet()}
	err := fs.WalkDir(fsys, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() {
			if ignored(name) {
				return fs.SkipDir
			}
			return nil
		}
		if !written(name) {
			return nil
		}
		text, err := fs.ReadFile(fsys, name)
		if err != nil {
			return err
		}
		return t.add(name, string(text))
	})
	if err != nil {
		return nil, err
	}
	if t.Module == "" {
		return nil, errors.New("lint: no go.mod with a module line: this is not the root of a module")
	}
	return t, nil
}

func (t *Tree) add(name, text string) error {
	f := &File{Path: name, Text: text}
	if strings.HasSuffix(name, ".go") {
		parsed, err := parser.ParseFile(t.fset, name, text, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			return fmt.Errorf("lint: %w", err)
		}
		f.Go = parsed
	}
	if name == "go.mod" {
		first, _, _ := strings.Cut(text, "\n")
		t.Module = strings.TrimSpace(strings.TrimPrefix(first, "module "))
	}
	t.Files = append(t.Files, f)
	return nil
}

func ignored(dir string) bool {
	base := path.Base(dir)
	switch {
	case dir == "." || dir == ".ci":
		return false
	case base == "testdata" || dir == "build":
		return true
	}
	return base[0] == '.' || base[0] == '_'
}

// written tells files that people write from data and products.
func written(name string) bool {
	switch path.Ext(name) {
	case ".go", ".md", ".sh", ".s", ".c", ".h", ".conf", ".yml", ".yaml", ".mod":
		return true
	}
	return path.Dir(name) == ".ci"
}

// Dir is the folder of the file.
func (f *File) Dir() string { return path.Dir(f.Path) }

// Test is whether the go command sees the file as a test.
func (f *File) Test() bool { return strings.HasSuffix(f.Path, "_test.go") }

// External is whether the file is a test outside the package it tests.
func (f *File) External() bool {
	return f.Test() && f.Go != nil && strings.HasSuffix(f.Go.Name.Name, "_test")
}

// In is whether the file is in dir or below it.
func (f *File) In(dir string) bool { return within(f.Dir(), dir) }

func within(name, dir string) bool {
	return name == dir || strings.HasPrefix(name, dir+"/")
}

// gofiles are the Go files of the tree.
func (t *Tree) gofiles() []*File {
	var files []*File
	for _, f := range t.Files {
		if f.Go != nil {
			files = append(files, f)
		}
	}
	return files
}

// packages are the Go files by folder.
func (t *Tree) packages() map[string][]*File {
	dirs := map[string][]*File{}
	for _, f := range t.gofiles() {
		dirs[f.Dir()] = append(dirs[f.Dir()], f)
	}
	return dirs
}

// own is the folder that an import path of this module means.
func (t *Tree) own(imported string) (dir string, ok bool) {
	if imported == t.Module {
		return ".", true
	}
	return strings.CutPrefix(imported, t.Module+"/")
}

func (t *Tree) line(p token.Pos) int { return t.fset.Position(p).Line }

// importPath is what an import names.
func importPath(s *ast.ImportSpec) string {
	p, err := strconv.Unquote(s.Path.Value)
	if err != nil {
		return s.Path.Value
	}
	return p
}

// localName is the name under which a file uses an import; "" if it does not
// import it or gives it no name of its own.
func localName(f *File, imported string) string {
	for _, s := range f.Go.Imports {
		if importPath(s) != imported {
			continue
		}
		if s.Name == nil {
			return path.Base(imported)
		}
		if s.Name.Name != "_" && s.Name.Name != "." {
			return s.Name.Name
		}
	}
	return ""
}
