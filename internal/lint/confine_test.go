package lint_test

var confinedSamples = []sample{
	{"no-cgo", map[string]string{"rdma/a.go": "package rdma\n\n// #include <stdio.h>\nimport \"C\"\n"}, []string{"rdma/a.go:4"}},
	{"no-cgo", one("compat/dat/a.go", "dat", "C"), []string{"compat/dat/a.go:4"}},
	{"no-cgo", one("compat/dat/provider/a.go", "main", "C"), nil},

	{"unsafe-is-named", one("rdma/mem/region.go", "mem", "unsafe"), []string{"rdma/mem/region.go:4"}},
	{"unsafe-is-named", one("compat/dat/a.go", "dat", "C", "unsafe"), []string{"compat/dat/a.go:5"}},
	{"unsafe-is-named", one("compat/dat/provider/a.go", "main", "unsafe"), []string{"compat/dat/provider/a.go:4"}},
	{"unsafe-is-named", one("compat/dat/provider/a.go", "main", "C", "syscall"), []string{"compat/dat/provider/a.go:5"}},
	{"unsafe-is-named", one("compat/dat/provider/a.go", "main", "C", "unsafe"), nil},
	{"unsafe-is-named", one("rdma/mem/region_test.go", "mem", "unsafe"), []string{"rdma/mem/region_test.go:4"}},
	{"unsafe-is-named", one("rdma/mem/unsafe.go", "mem", "syscall"), []string{"rdma/mem/unsafe.go:4"}},
	{"unsafe-is-named", one("internal/hca/verbs/lib.go", "verbs", "github.com/ebitengine/purego"), []string{"internal/hca/verbs/lib.go:4"}},
	{"unsafe-is-named", one("internal/hca/soft/a.go", "soft", "golang.org/x/sys/unix"), []string{"internal/hca/soft/a.go:4"}},
	{"unsafe-is-named", one("examples/x/main.go", "main", "golang.org/x/sys/windows"), []string{"examples/x/main.go:4"}},
	{"unsafe-is-named", one("rdma/mem/my_sys_file.go", "mem", "unsafe"), []string{"rdma/mem/my_sys_file.go:4"}},
	{"unsafe-is-named", one("rdma/mem/a_unsafe.go.go", "mem", "unsafe"), []string{"rdma/mem/a_unsafe.go.go:4"}},
	{"unsafe-is-named", one("rdma/mem/region_unsafe.go", "mem", "unsafe"), nil},
	{"unsafe-is-named", one("internal/hca/soft/sys_linux.go", "soft", "golang.org/x/sys/unix", "syscall", "unsafe"), nil},
	{"unsafe-is-named", one("internal/hca/soft/sys_map_test.go", "soft_test", "syscall"), nil},
	{"unsafe-is-named", one("rdma/a.go", "rdma", "golang.org/x/sync/errgroup", "golang.org/x/sys/cpu"), nil},

	{"no-old-rand", one("rdma/a_test.go", "rdma_test", "math/rand"), []string{"rdma/a_test.go:4"}},
	{"no-old-rand", one("rdma/a.go", "rdma", "math/rand/v2", "crypto/rand"), nil},
}
