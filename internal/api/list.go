package api

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"go/importer"
	"go/token"
	"go/types"
	"io"
	"os"
	"os/exec"
	"slices"
	"strings"
)

// List describes the packages that match patterns, for Linux on amd64, but the internal ones,
// which no user can import. go list runs in dir, and compiles them unless they are in its
// cache.
func List(ctx context.Context, dir string, patterns ...string) ([]string, error) {
	cmd := exec.CommandContext(ctx, "go", append([]string{"list", "-export", "-deps", "-f", "{{.ImportPath}}\t{{.Export}}\t{{.DepOnly}}"}, patterns...)...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GOOS=linux", "GOARCH=amd64", "CGO_ENABLED=0")
	var errs bytes.Buffer
	cmd.Stderr = &errs
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("go list: %w: %s", err, &errs)
	}
	files, wanted := map[string]string{}, []string(nil)
	for line := range strings.Lines(string(out)) {
		f := strings.Split(strings.TrimSpace(line), "\t")
		files[f[0]] = f[1]
		if f[2] == "false" && !strings.Contains(f[0]+"/", "/internal/") {
			wanted = append(wanted, f[0])
		}
	}
	from := importer.ForCompiler(token.NewFileSet(), "gc", func(path string) (io.ReadCloser, error) {
		if files[path] == "" {
			return nil, errors.New("no compiled package " + path)
		}
		return os.Open(files[path])
	})
	var list []string
	for _, path := range wanted {
		p, err := from.Import(path)
		if err != nil {
			return nil, err
		}
		list = append(list, Describe(p)...)
	}
	slices.Sort(list)
	return list, nil
}

// Describe lists what a package exports. Parameters have no names there, since callers do
// not see these.
func Describe(p *types.Package) []string {
	w := writer{p: p}
	for _, name := range p.Scope().Names() {
		if o := p.Scope().Lookup(name); o.Exported() {
			w.object(o)
		}
	}
	return w.lines
}
