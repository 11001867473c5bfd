package lint

import "fmt"

// A direction says which imports the files of some folders must not have.
type direction struct {
	name, why, do string
	applies       func(f *File) bool
	// forbids is given the folder for an import of this module, and the import
	// path for others.
	forbids func(imported string, own bool) bool
	// forbidsFrom is forbids for a rule that depends on the file.
	forbidsFrom func(f *File, imported string, own bool) bool
}

const softRoot = "internal/hca/soft"

// softLayers are the packages of the software adapter, from the lowest layer up. Those of one
// layer do not know each other.
var softLayers = [][]string{
	{softRoot + "/gate", softRoot + "/hostport", softRoot + "/errno", softRoot + "/keynumber", softRoot + "/reqtime", softRoot + "/halfopen"},
	{softRoot + "/conns", softRoot + "/progress", softRoot + "/rawmem", softRoot + "/receives"},
	{softRoot + "/accepts"},
	{softRoot + "/core"},
	{softRoot + "/connreq", softRoot + "/sendhalf"},
	{softRoot + "/local", softRoot + "/recvhalf", softRoot + "/neterr"},
	{softRoot + "/inproc", softRoot + "/stream", softRoot + "/sharedmem"},
	{softRoot},
}

// softLayer is the layer of a folder, and the package of that layer that it is part of; -1 if
// it is in none, as what only tests import.
func softLayer(dir string) (layer int, part string) {
	for i, l := range softLayers {
		for _, p := range l {
			if dir == p || p != softRoot && within(dir, p) {
				return i, p
			}
		}
	}
	return -1, ""
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
			name: "soft-points-down",
			why:  "the software adapter is read and changed one layer at a time: its paths know nothing of each other, and what they have in common knows no path",
			do:   "give the lower layer an interface that the higher one implements (core.Transport, core.Path, core.KeyObserver), or move what two paths share to core; an external test (package x_test) may import package soft",
			applies: func(f *File) bool {
				layer, _ := softLayer(f.Dir())
				return layer >= 0 && !f.External()
			},
			forbidsFrom: func(f *File, imported string, own bool) bool {
				if !own || !within(imported, softRoot) {
					return false
				}
				from, here := softLayer(f.Dir())
				to, there := softLayer(imported)
				return here != there && (to < 0 || to >= from)
			},
		},
		{
			name:    "park-knows-no-adapter",
			why:     "both adapters sleep in internal/hca/park; which goroutine sleeps where is decided by each of them",
			do:      "give it a park.Driver or a park.Queue; tests may import more",
			applies: func(f *File) bool { return f.In("internal/hca/park") && !f.Test() },
			forbids: func(imported string, own bool) bool { return own && imported != "internal/wait" },
		},
		{
			name: "adapters-park",
			why:  "the layers above sleep by the contract: a completion queue is an hca.Parker, whatever its adapter sleeps on",
			do:   "use hca.Parker, which the adapter's completion queues implement",
			applies: func(f *File) bool {
				return !f.In(softRoot) && !f.In("internal/hca/verbs") && !f.In("internal/hca/park")
			},
			forbids: func(imported string, own bool) bool { return own && within(imported, "internal/hca/park") },
		},
		{
			name:    "mailbox-over-api",
			why:     "rdma/mailbox shows that the public API carries a layer like it; what it needed besides, others would need, too",
			do:      "use the public packages of rdma and the standard library; what they lack belongs into them; tests may use more",
			applies: func(f *File) bool { return f.In("rdma/mailbox") && !f.Test() },
			forbids: func(imported string, own bool) bool {
				return own && (!within(imported, "rdma") || within(imported, "rdma/internal"))
			},
		},
		{
			name:    "compat-over-api",
			why:     "compat/dat and compat/vipl hold no logic that the native API could hold; if they need more than is public, so will others",
			do:      "add what is missing to the public API, then call that; what only uDAPL allows goes through internal/udapl",
			applies: func(f *File) bool { return f.In("compat") },
			forbidsFrom: func(f *File, imported string, own bool) bool {
				dat := f.In("compat/dat")
				return own && !within(imported, "rdma") && !within(imported, "compat/internal") &&
					imported != "internal/fence" && // memory order is no logic
					!(dat && (within(imported, "compat/dat") || within(imported, "internal/udapl"))) &&
					!(dat && f.Test() && imported == "internal/tlstest") && // certificates
					!(dat && f.Test() && imported == "internal/hca/ops") && // names are compared with the table of operations
					!(f.In("compat/vipl") && within(imported, "compat/vipl"))
			},
		},
		{
			name:    "compat-is-a-leaf",
			why:     "nothing may depend on the calls of uDAPL and VIPL: they are translations of the native API, for ported programs",
			do:      "use the native API (package rdma)",
			applies: func(f *File) bool { return !f.In("compat") && !f.In("examples") && !f.In(perf) },
			forbids: func(imported string, own bool) bool { return own && within(imported, "compat") },
		},
		{
			name:    "examples-are-users",
			why:     "an example shows what a user can write, and a user cannot import internal packages",
			do:      "use the public packages; what an example needs and they lack belongs into them",
			applies: func(f *File) bool { return f.In("examples") },
			forbids: func(imported string, own bool) bool {
				return own && !public(imported) && !within(imported, "examples")
			},
		},
		{
			name:    "perf-measures-what-users-get",
			why:     "its figures are in the documentation: they have to hold for programs that import the public packages only",
			do:      "use the public packages; what perf needs and they lack belongs into them",
			applies: func(f *File) bool { return f.In(perf) },
			forbids: func(imported string, own bool) bool {
				return own && !public(imported) && imported != "cmd/godapl/internal/command"
			},
		},
	}
	rules := make([]Rule, len(all))
	for i, d := range all {
		rules[i] = d.rule()
	}
	return rules
}

const perf = "cmd/godapl/internal/perf"

// public reports whether users may import a package.
func public(imported string) bool {
	return within(imported, "rdma") || within(imported, "compat/dat") || within(imported, "compat/vipl")
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
				if d.forbids != nil && d.forbids(imported, own) || d.forbidsFrom != nil && d.forbidsFrom(f, imported, own) {
					report(f, t.line(s.Pos()), fmt.Sprintf("%s must not import %s", f.Dir(), imported))
				}
			}
		}
	}}
}
