package lint_test

const (
	goodMain = "package a_test\n\nimport (\n\t\"testing\"\n\n\t\"go.uber.org/goleak\"\n)\n\nfunc TestMain(m *testing.M) { goleak.VerifyTestMain(m) }\n"
	// A TestMain that forgets, and a call that is not in TestMain.
	idleMain  = "package a_test\n\nimport \"testing\"\n\nfunc TestMain(m *testing.M) { m.Run() }\n"
	wrongPlan = "package a_test\n\nimport (\n\t\"testing\"\n\n\t\"go.uber.org/goleak\"\n)\n\nfunc TestA(t *testing.T) { goleak.VerifyNone(t) }\n"
	// A TestMain beside a use of goleak elsewhere.
	unusedLeak = wrongPlan + "\nfunc TestMain(m *testing.M) { m.Run() }\n"

	typed      = "package mem\n\ntype Region struct{}\n\ntype hidden int\n\ntype (\n\tA = int\n\tB[T any] []T\n)\n"
	allShown   = "package mem_test\n\nfunc ExampleRegion() {\n\t// Output:\n}\n\nfunc ExampleA_second() {\n\t// Output: 1\n}\n\nfunc ExampleB_Len() {\n\t// Unordered output: 1\n}\n"
	silentShow = "package mem_test\n\nfunc ExampleRegion() {}\n\nfunc ExampleAB() {\n\t// Output:\n}\n\nfunc ExampleB() {\n\t// Output:\n}\n"
)

var packageSamples = []sample{
	{"no-leaks", map[string]string{"rdma/a_test.go": idleMain}, []string{"rdma/a_test.go:1"}},
	{"no-leaks", map[string]string{"rdma/a.go": "package a\n", "rdma/a_test.go": wrongPlan}, []string{"rdma/a_test.go:1"}},
	{"no-leaks", map[string]string{"rdma/a_test.go": unusedLeak}, []string{"rdma/a_test.go:1"}},
	{"no-leaks", map[string]string{"rdma/a_test.go": "package a\n", "rdma/event/m_test.go": goodMain}, []string{"rdma/a_test.go:1"}},
	{"no-leaks", map[string]string{"rdma/a_test.go": "package a\n", "rdma/m_test.go": goodMain, "rdma/mem/a.go": "package mem\n"}, nil},

	{"package-doc", map[string]string{"rdma/a.go": "package rdma\n"}, []string{"rdma/a.go:1"}},
	{"package-doc", map[string]string{"rdma/doc.go": "// About rdma.\npackage rdma\n"}, []string{"rdma/doc.go:1"}},
	{"package-doc", map[string]string{"rdma/doc.go": "// Package rdma is.\n\npackage rdma\n"}, []string{"rdma/doc.go:1"}},
	{"package-doc", map[string]string{
		"rdma/a.go": "// Package rdma has a file.\npackage rdma\n", "rdma/doc.go": "// Package rdma is.\npackage rdma\n",
	}, []string{"rdma/a.go:1"}},
	{"package-doc", map[string]string{"rdma/main.go": "// Package rdma is.\npackage rdma\n"}, []string{"rdma/main.go:1", "rdma/main.go:1"}},
	{"package-doc", map[string]string{"fuzz/a_test.go": "// Package fuzz is.\npackage fuzz\n"}, []string{"fuzz/a_test.go:1"}},
	{"package-doc", map[string]string{
		"rdma/a.go": "// A note on the file.\n\npackage rdma\n", "rdma/doc.go": "// Package rdma is.\npackage rdma\n",
		"rdma/a_test.go": "// Tests of it.\npackage rdma_test\n", "examples/x/main.go": "// Quickstart shows.\npackage main\n",
	}, nil},

	{"file-lists", map[string]string{ // a file is missing, and one does not exist
		"internal/hca/soft/a/doc.go": "// Package a is.\n//\n//\tfirst  b.go sys_*.go gone.go\n//\tmore   never_*.go\npackage a\n",
		"internal/hca/soft/a/b.go":   "package a\n", "internal/hca/soft/a/b_linux.go": "package a\n", "internal/hca/soft/a/sys_c.go": "package a\n",
	}, []string{"internal/hca/soft/a/doc.go:5", "internal/hca/soft/a/doc.go:5", "internal/hca/soft/a/doc.go:5"}},
	{"file-lists", map[string]string{ // six files and no list
		"internal/hca/soft/a/doc.go": "// Package a is. See b.go.\npackage a\n",
		"internal/hca/soft/a/b.go":   "package a\n", "internal/hca/soft/a/c.go": "package a\n", "internal/hca/soft/a/d.go": "package a\n",
		"internal/hca/soft/a/e.go": "package a\n", "internal/hca/soft/a/f.go": "package a\n", "internal/hca/soft/a/g.go": "package a\n",
	}, []string{"internal/hca/soft/a/doc.go:2"}},
	{"file-lists", map[string]string{
		"internal/hca/soft/a/doc.go": "// Package a is.\n//\n//\tfirst  b.go (and more) sys_*.go\npackage a\n",
		"internal/hca/soft/a/b.go":   "package a\n", "internal/hca/soft/a/b_test.go": "package a\n", "internal/hca/soft/a/sys_c.go": "package a\n",
		"internal/hca/soft/d/doc.go": "// Package d is.\npackage d\n", "internal/hca/soft/d/e.go": "package d\n",
		"rdma/doc.go": "// Package rdma is.\n//\n//\tfirst  gone.go\npackage rdma\n",
	}, nil},

	{"known-folders", map[string]string{"util/strings/a.go": "package strings\n"}, []string{"util/strings/a.go:1"}},
	{"known-folders", map[string]string{"godapl.go": "package godapl\n"}, []string{"godapl.go:1"}},
	{"known-folders", map[string]string{"rdma/a.go": "package rdma\n", "fuzz/a_test.go": "package fuzz\n", "docs/a.md": ""}, nil},

	{"modules-are-released", map[string]string{"contrib/x/go.mod": "module m.test/m/contrib/x\n"}, []string{"contrib/x/go.mod:1"}},
	{"modules-are-released", map[string]string{
		"docs/releasing.md": "`contrib/xy`, contrib/z and `examples/a/b`.\n",
		"contrib/x/go.mod":  "", "contrib/xy/go.mod": "", "contrib/z/go.mod": "", "examples/a/go.mod": "", "examples/a/b/go.mod": "",
	}, []string{"contrib/x/go.mod:1", "contrib/z/go.mod:1", "examples/a/go.mod:1"}},
	{"modules-are-released", map[string]string{"docs/releasing.md": "`contrib/x`\n", "contrib/x/go.mod": "", "docs/go.mod.md": ""}, nil},

	{"exported-types-have-examples", map[string]string{"rdma/mem/a.go": typed, "rdma/mem/a_test.go": silentShow}, []string{
		"rdma/mem/a.go:3", "rdma/mem/a.go:8",
	}},
	{"exported-types-have-examples", map[string]string{"rdma/a.go": "package rdma\n\ntype Conn int\n"}, []string{"rdma/a.go:3"}},
	{"exported-types-have-examples", map[string]string{"rdma/event/a.go": "package event\n\ntype Set int\n"}, []string{"rdma/event/a.go:3"}},
	{"exported-types-have-examples", map[string]string{"rdma/mem/a.go": typed, "rdma/mem/a_test.go": allShown}, nil},
	{"exported-types-have-examples", map[string]string{"internal/hca/a.go": "package hca\n\ntype QP int\n", "compat/dat/a.go": "package dat\n\ntype EPParam struct{}\n"}, nil},
}
