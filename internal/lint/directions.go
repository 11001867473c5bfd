package lint

import "fmt"

// A direction says which imports the files of some folders must not have.
type direction struct {
	name, why, do string
	applies       func(f *File) bool
	// forbids is given the folder for an import of this module, and the import
	// path for others.
	forbids func(imported string, own bool) bool
}

func directions() []Rule {
	all := []direction{
		{
			name: "parts-below-api",
			why:  "rdma is built from rdma/event and rdma/mem; they must be usable and testable without it",
			do:   "pass in what is needed as a value, function or interface of internal/hca; the leaf rdma/status is for all; an external test (package x_test) may import rdma",
			applies: func(f *File) bool {
				return (f.In("rdma/event") || f.In("rdma/mem")) && !f.External()
			},
			forbids: func(imported string, own bool) bool {
				return own && within(imported, "rdma") && !within(imported, "rdma/event") && !within(imported, "rdma/mem") && imported != "rdma/status"
			},
		},
		{
			name: "internal-below-api",
			why:  "an adapter implements the contract in internal/hca and knows nothing of the API above it, so that any adapter fits",
			do:   "move what is shared down, to internal/hca or a package beside it; rdma/status, the errors, may be imported; an external test (package x_test) may import rdma",
			applies: func(f *File) bool {
				return f.In("internal") && !f.External()
			},
			forbids: func(imported string, own bool) bool {
				return own && within(imported, "rdma") && imported != "rdma/status"
			},
		},
		{
			name: "status-is-a-leaf",
			why:  "every package of the module has its errors from rdma/status, so it can import none of them",
			do:   "pass in what is needed as a value",
			applies: func(f *File) bool {
				return f.In("rdma/status") && !f.External()
			},
			forbids: func(imported string, own bool) bool { return own },
		},
		{
			name: "codec-without-io",
			why:  "internal/iwarp is pure functions over bytes: that is what makes it testable and fuzzable to the last case",
			do:   "do the input, output and timing in the adapter that calls the codec; tests may use os and time",
			applies: func(f *File) bool {
				return f.In("internal/iwarp") && !f.Test()
			},
			forbids: func(imported string, own bool) bool {
				if own {
					return !within(imported, "internal/iwarp") && !within(imported, "internal/crc32c")
				}
				for _, std := range []string{"net", "os", "time", "syscall", "golang.org/x/sys"} {
					if within(imported, std) {
						return true
					}
				}
				return false
			},
		},
		{
			name:    "compat-over-api",
			why:     "compat/dat holds no logic that the native API could hold; if it needs more than is public, so will others",
			do:      "add what is missing to the public API, then call that; what only uDAPL allows goes through internal/udapl",
			applies: func(f *File) bool { return f.In("compat/dat") },
			forbids: func(imported string, own bool) bool {
				return own && !within(imported, "rdma") && !within(imported, "compat/dat") && !within(imported, "internal/udapl")
			},
		},
		{
			name:    "compat-is-a-leaf",
			why:     "nothing may depend on the uDAPL calls: they are a translation of the native API, for ported programs",
			do:      "use the native API (package rdma)",
			applies: func(f *File) bool { return !f.In("compat/dat") && !f.In("examples") },
			forbids: func(imported string, own bool) bool { return own && within(imported, "compat/dat") },
		},
		{
			name:    "examples-are-users",
			why:     "an example shows what a user can write, and a user cannot import internal packages",
			do:      "use the public packages; what an example needs and they lack belongs into them",
			applies: func(f *File) bool { return f.In("examples") },
			forbids: func(imported string, own bool) bool {
				return own && !within(imported, "rdma") && !within(imported, "compat/dat") && !within(imported, "examples")
			},
		},
	}
	rules := make([]Rule, len(all))
	for i, d := range all {
		rules[i] = d.rule()
	}
	return rules
}

func (d direction) rule() Rule {
	return Rule{Name: d.name, Why: d.why, Do: d.do, check: func(t *Tree, report func(*File, int, string)) {
		for _, f := range t.gofiles() {
			if !d.applies(f) {
				continue
			}
			for _, s := range f.Go.Imports {
				imported := importPath(s)
				dir, own := t.own(imported)
				if own {
					imported = dir
				}
				if d.forbids(imported, own) {
					report(f, t.line(s.Pos()), fmt.Sprintf("%s must not import %s", f.Dir(), imported))
				}
			}
		}
	}}
}
