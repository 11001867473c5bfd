package lint_test

// one is a module of one file that imports the given packages, one a line from
// line 4 on.
func one(path, pkg string, imports ...string) map[string]string {
	text := "package " + pkg + "\n\nimport (\n"
	for _, i := range imports {
		text += "\t\"" + i + "\"\n"
	}
	return map[string]string{path: text + ")\n"}
}

var directionSamples = []sample{
	{"parts-below-api", one("rdma/event/a.go", "event", "m.test/m/rdma"), []string{"rdma/event/a.go:4"}},
	{"parts-below-api", one("rdma/mem/a.go", "mem", "io", "m.test/m/rdma"), []string{"rdma/mem/a.go:5"}},
	{"parts-below-api", one("rdma/mem/sub/a.go", "sub", "m.test/m/rdma/rdmatest"), []string{"rdma/mem/sub/a.go:4"}},
	{"parts-below-api", one("rdma/mem/a_test.go", "mem", "m.test/m/rdma"), []string{"rdma/mem/a_test.go:4"}},
	{"parts-below-api", one("rdma/mem/a_test.go", "mem_test", "m.test/m/rdma"), nil},
	{"parts-below-api", one("rdma/event/a.go", "event", "m.test/m/internal/hca", "m.test/m/rdma/mem"), nil},
	{"parts-below-api", one("rdma/mem/a.go", "mem", "m.test/m/rdma/event"), nil},
	{"parts-below-api", one("rdma/a.go", "rdma", "m.test/m/rdma/event", "m.test/m/rdma/mem"), nil},

	{"internal-below-api", one("internal/hca/a.go", "hca", "m.test/m/rdma/mem"), []string{"internal/hca/a.go:4"}},
	{"internal-below-api", one("internal/hca/soft/a.go", "soft", "m.test/m/rdma"), []string{"internal/hca/soft/a.go:4"}},
	{"internal-below-api", one("internal/hca/soft/a_test.go", "soft", "m.test/m/rdma"), []string{"internal/hca/soft/a_test.go:4"}},
	{"internal-below-api", one("internal/wait/a.go", "wait", "m.test/m/rdma/event"), []string{"internal/wait/a.go:4"}},
	{"internal-below-api", one("internal/hca/soft/a_test.go", "soft_test", "m.test/m/rdma"), nil},
	{"internal-below-api", one("internal/hca/soft/a.go", "soft", "m.test/m/internal/hca", "other.test/rdma"), nil},

	{"internal-below-api", one("internal/hca/a.go", "hca", "m.test/m/rdma/status"), nil},
	{"parts-below-api", one("rdma/mem/a.go", "mem", "m.test/m/rdma/status"), nil},

	{"status-is-a-leaf", one("rdma/status/a.go", "status", "net", "m.test/m/internal/hca"), []string{"rdma/status/a.go:5"}},
	{"status-is-a-leaf", one("rdma/status/a_test.go", "status_test", "m.test/m/rdma"), nil},

	{"soft-points-down", one("internal/hca/soft/stream/a.go", "stream", "m.test/m/internal/hca/soft/core", "m.test/m/internal/hca/soft/sharedmem"), []string{"internal/hca/soft/stream/a.go:5"}},
	{"soft-points-down", one("internal/hca/soft/core/a.go", "core", "m.test/m/internal/hca/soft/gate", "m.test/m/internal/hca/soft/inproc"), []string{"internal/hca/soft/core/a.go:5"}},
	{"soft-points-down", one("internal/hca/soft/gate/a.go", "gate", "m.test/m/internal/hca/soft/progress"), []string{"internal/hca/soft/gate/a.go:4"}},
	{"soft-points-down", one("internal/hca/soft/inproc/a_test.go", "inproc", "m.test/m/internal/hca/soft/softtest"), []string{"internal/hca/soft/inproc/a_test.go:4"}},
	{"soft-points-down", one("internal/hca/soft/stream/a_test.go", "stream_test", "m.test/m/internal/hca/soft", "m.test/m/internal/hca/soft/softtest"), nil},
	{"soft-points-down", one("internal/hca/soft/stream/a.go", "stream", "m.test/m/internal/hca/soft/stream/wire"), nil},
	{"soft-points-down", one("internal/hca/soft/stream/wire/a.go", "wire", "m.test/m/internal/hca/soft/inproc"), []string{"internal/hca/soft/stream/wire/a.go:4"}},
	{"soft-points-down", one("internal/hca/soft/a.go", "soft", "m.test/m/internal/hca/soft/stream", "m.test/m/internal/hca/soft/core"), nil},

	{"park-knows-no-adapter", one("internal/hca/park/a.go", "park", "m.test/m/internal/wait", "m.test/m/internal/hca"), []string{"internal/hca/park/a.go:5"}},
	{"park-knows-no-adapter", one("internal/hca/park/a_test.go", "park", "m.test/m/internal/race"), nil},
	{"adapters-park", one("rdma/event/a.go", "event", "m.test/m/internal/hca/park"), []string{"rdma/event/a.go:4"}},
	{"adapters-park", one("internal/hca/verbs/a.go", "verbs", "m.test/m/internal/hca/park"), nil},

	{"codec-without-io", one("internal/iwarp/a.go", "iwarp", "net", "os", "time", "syscall"), []string{
		"internal/iwarp/a.go:4", "internal/iwarp/a.go:5", "internal/iwarp/a.go:6", "internal/iwarp/a.go:7",
	}},
	{"codec-without-io", one("internal/iwarp/a.go", "iwarp", "net/netip"), []string{"internal/iwarp/a.go:4"}},
	{"codec-without-io", one("internal/iwarp/mpa/a.go", "mpa", "m.test/m/internal/hca"), []string{"internal/iwarp/mpa/a.go:4"}},
	{"codec-without-io", one("internal/iwarp/a.go", "iwarp", "encoding/binary", "hash/crc32", "errors"), nil},
	{"codec-without-io", one("internal/iwarp/a_test.go", "iwarp_test", "os", "time"), nil},

	{"mailbox-over-api", one("rdma/mailbox/a.go", "mailbox", "m.test/m/rdma", "m.test/m/rdma/mem", "m.test/m/rdma/event", "runtime/pprof"), nil},
	{"mailbox-over-api", one("rdma/mailbox/a.go", "mailbox", "m.test/m/internal/hca", "m.test/m/rdma/internal/stream"), []string{"rdma/mailbox/a.go:4", "rdma/mailbox/a.go:5"}},
	{"mailbox-over-api", one("rdma/mailbox/a_test.go", "mailbox_test", "m.test/m/internal/race"), nil},
	{"compat-over-api", one("compat/dat/a.go", "dat", "m.test/m/internal/hca"), []string{"compat/dat/a.go:4"}},
	{"compat-over-api", one("compat/dat/a_test.go", "dat_test", "m.test/m/internal/hca/soft"), []string{"compat/dat/a_test.go:4"}},
	{"compat-over-api", one("compat/dat/provider/a.go", "main", "m.test/m/compat/dat", "m.test/m/rdma", "m.test/m/rdma/mem"), nil},

	{"compat-over-api", one("compat/vipl/a.go", "vipl", "m.test/m/compat/internal/table", "m.test/m/rdma", "m.test/m/compat/dat", "m.test/m/internal/udapl"), []string{"compat/vipl/a.go:6", "compat/vipl/a.go:7"}},
	{"compat-over-api", one("compat/dat/a_test.go", "dat", "m.test/m/internal/hca/ops"), nil},
	{"compat-over-api", one("compat/dat/a.go", "dat", "m.test/m/internal/hca/ops"), []string{"compat/dat/a.go:4"}},
	{"compat-is-a-leaf", one("examples/x/main.go", "main", "m.test/m/compat/internal/table"), nil},
	{"compat-is-a-leaf", one("internal/hca/a.go", "hca", "m.test/m/compat/internal/table"), []string{"internal/hca/a.go:4"}},
	{"examples-are-users", one("examples/x/main.go", "main", "m.test/m/compat/vipl", "m.test/m/compat/internal/table"), []string{"examples/x/main.go:5"}},
	{"compat-is-a-leaf", one("rdma/a.go", "rdma", "m.test/m/compat/dat"), []string{"rdma/a.go:4"}},
	{"compat-is-a-leaf", one("internal/hca/soft/a_test.go", "soft_test", "m.test/m/compat/dat"), []string{"internal/hca/soft/a_test.go:4"}},
	{"compat-is-a-leaf", one("examples/x/main.go", "main", "m.test/m/compat/dat"), nil},
	{"compat-is-a-leaf", one("cmd/godapl/internal/perf/x.go", "perf", "m.test/m/compat/dat"), nil},
	{"compat-is-a-leaf", one("cmd/godapl/internal/ping/x.go", "ping", "m.test/m/compat/dat"), []string{"cmd/godapl/internal/ping/x.go:4"}},
	{"perf-measures-what-users-get", one("cmd/godapl/internal/perf/x.go", "perf", "m.test/m/rdma", "m.test/m/cmd/godapl/internal/command", "m.test/m/compat/vipl"), nil},
	{"perf-measures-what-users-get", one("cmd/godapl/internal/perf/x.go", "perf", "m.test/m/internal/hca"), []string{"cmd/godapl/internal/perf/x.go:4"}},
	{"compat-is-a-leaf", one("compat/dat/provider/a.go", "main", "m.test/m/compat/dat"), nil},

	{"examples-are-users", one("examples/x/main.go", "main", "m.test/m/internal/hca"), []string{"examples/x/main.go:4"}},
	{"examples-are-users", one("examples/x/main_test.go", "main", "m.test/m/internal/wait"), []string{"examples/x/main_test.go:4"}},
	{"examples-are-users", one("examples/x/main.go", "main", "os", "m.test/m/rdma", "m.test/m/compat/dat", "m.test/m/examples/y"), nil},
}
