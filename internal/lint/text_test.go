package lint_test

const sleeper = "package x\n\nimport \"time\"\n\nfunc f() {\n\ttime.Sleep(1)\n}\n"

var textSamples = []sample{
	{"no-sleep", map[string]string{"rdma/a.go": sleeper, "rdma/a_test.go": sleeper}, []string{"rdma/a.go:6", "rdma/a_test.go:6"}},
	{"no-sleep", map[string]string{"rdma/a.go": "package x\n\nimport clock \"time\"\n\nvar pause = clock.Sleep\n"}, []string{"rdma/a.go:5"}},
	{"no-sleep", map[string]string{"rdma/a.go": "package x\n\nimport \"time\"\n\n// Why.\nfunc f() { time.Sleep(1) } // why\n"}, []string{"rdma/a.go:6"}},
	{"no-sleep", map[string]string{"examples/x/main.go": sleeper}, []string{"examples/x/main.go:6"}},
	{"no-sleep", map[string]string{
		"examples/x/main.go": "package x\n\nimport \"time\"\n\nfunc f() {\n\t// So that a reader sees the bar.\n\ttime.Sleep(1)\n\n\ttime.Sleep(2) // the same\n}\n",
		"rdma/a.go":          "package x\n\nimport \"time\"\n\n// time.Sleep is not called.\nvar after = time.After\n\ntype t struct{ Sleep int }\n",
	}, nil},

	{"speaks-for-itself", map[string]string{"rdma/a.go": "package rdma\n\n// See /work/main.\n"}, []string{"rdma/a.go:3"}},
	{"speaks-for-itself", map[string]string{"rdma/a.go": "package rdma\n\nvar s = \"/work/x\"\n"}, []string{"rdma/a.go:3"}},
	{"speaks-for-itself", map[string]string{"docs/a.md": "one\n\n/work/shared\n"}, []string{"docs/a.md:3"}},
	{"speaks-for-itself", map[string]string{".ci/run": "# x\ncat /tmp/bash_jobs.0/1/stdout\n"}, []string{".ci/run:2"}},
	{"speaks-for-itself", map[string]string{"README.md": "as issue 2 asks\nas Issue #12\n#2 of the issue\n"}, []string{"README.md:1", "README.md:2", "README.md:3"}},
	{"speaks-for-itself", map[string]string{"rdma/a.go": "package rdma\n\n// See design.md.\n"}, []string{"rdma/a.go:3"}},
	{"speaks-for-itself", map[string]string{"README.md": "see ../shared/spec\n"}, []string{"README.md:1"}},
	{"speaks-for-itself", map[string]string{
		"rdma/a.go": "package rdma\n\n// The work/done ratio; http://a.test/work/x; issues a write; a session of TLS.\n",
		".ci/run":   "vm=../shared/rdma-vm/run\n", "docs/a.md": "redesign.mdx\n",
	}, nil},

	{"snippets-are-compiled", map[string]string{
		"rdma/a.go": "package rdma\n\nfunc f() {\n\tg(1)\n\th(2)\n}\n",
		"README.md": "a\n```go\ng(2)\n```\nb\n```sh\nls\n```\n```go\ng(1)\n```\n```go\nh(2\n```\n```go\n(1)\n```\n",
	}, []string{"README.md:2", "README.md:12", "README.md:15"}},
	{"snippets-are-compiled", map[string]string{
		"rdma/a.go": "package rdma\n\nfunc f() {\n\tif g(1) {\n\t\th(2)\n\t}\n}\n",
		"docs/a.md": "a\n\n```go\nif g(1) {\n\th(2)\n}\n```\n\n```sh\nls\n```\n",
	}, nil},

	{"links-resolve", map[string]string{
		"README.md": "[a](docs/a.md)\n[b](docs/b.md) [c](docs/a.md#two-words)\n",
		"docs/a.md": "# One: word\n\n[a](a.md#one-word), [b](#one)\n[c](docs/a.md)\n",
	}, []string{"README.md:2", "README.md:2", "docs/a.md:3", "docs/a.md:4"}},
	{"links-resolve", map[string]string{
		"README.md": "[a](docs/a.md#two-words-1) [b](https://a.test/c.md) [c](docs/p.png)\n",
		"docs/a.md": "# A\n\n## Two words: `1`\n\n[a](../README.md), [b](#two-words-1)\n",
	}, nil},

	{"pages-name-what-exists", map[string]string{
		"rdma/a.go":      "package rdma\n\ntype Conn struct{ Depth int }\n\nfunc (*Conn) Send() {}\n\n// Gone was here: GODAPL_GONE.\nvar ErrA = read(\"GODAPL_X\")\n",
		"rdma/a_test.go": "package rdma_test\n\nfunc TestSend() {}\n\nfunc BenchmarkDial() {}\n",
		"docs/a.md": "`Conn.Dept`\n`rdma.ErrB`\n`Gone` is nothing\n`rdma.Conn.Sent`\n`Depth.Conn`\n$GODAPL_GONE\n" +
			"see `rdma/b.go`\n`event/c.go`\n    go test -run Dial ./rdma\n    go test -run '^$' -bench Send ./rdma\n    go test -run '^(TestSend|TestDial)$' ./rdma\n" +
			"`go test ./internal -run Send`\n    internal/x.sh\n`TestDial`\n    go get github.com/godapl/godapl\n`go get github.com/godapl/godapl@v0.1.0`\n",
	}, []string{
		"docs/a.md:1", "docs/a.md:2", "docs/a.md:3", "docs/a.md:4", "docs/a.md:5", "docs/a.md:6", "docs/a.md:7", "docs/a.md:7", "docs/a.md:8",
		"docs/a.md:9", "docs/a.md:10", "docs/a.md:11", "docs/a.md:13", "docs/a.md:14", "docs/a.md:15", "docs/a.md:16",
	}},
	{"pages-name-what-exists", map[string]string{
		"rdma/a.go":      "package rdma\n\ntype half struct{ Depth int }\n\ntype Conn struct{ *half }\n\ntype Alias = Conn\n\nfunc (*Conn) Send() {}\n\nvar ErrA = read(\"GODAPL_X\")\n",
		"rdma/a_test.go": "package rdma_test\n\nfunc TestSend() {}\n\nfunc BenchmarkDial() {}\n",
		"docs/a.md": "`Conn.Depth`, `Alias.Send(ctx)`, `rdma.ErrA`, `rdma.Conn.Send`, `tls.Config`, `DAT_X`, `VipSend`, `a.b`, `GODAPL_X=1`\n`rdma/a.go`, `./rdma/...`\n" +
			"    GODAPL_X=2 go test -run 'Send$/x' ./rdma   # Dial\n    go test -run '^$' -bench 'Dial$' ./rdma\n`go test -run - -bench Dial` rdma/testdata/x.md rdma/x.bin\n    go get github.com/godapl/godapl/rdma@v0.1.0\n",
		"docs/udapl-x.md": "`Gone`\n",
	}, nil},

	{"dependencies-are-explained", map[string]string{
		"go.mod":    "module m.test/m\n\nrequire a.test/one v1.0.0\n\nrequire (\n\ta.test/two/v2 v2.1.0\n\ta.test/three v0.1.0 // indirect\n)\n",
		"README.md": "We use a.test/one for this.\n",
	}, []string{"go.mod:3", "go.mod:6"}},
	{"dependencies-are-explained", map[string]string{
		"rdma/c/go.mod": "module m.test/m/rdma/c\n\nrequire m.test/m v0.0.0\n\nrequire a.test/one v1.0.0\n",
		"README.md":     "# m\n",
	}, []string{"rdma/c/go.mod:5"}},
	{"dependencies-are-explained", map[string]string{
		"go.mod":    "module m.test/m\n\ngo 1.26.0\n\nrequire (\n\ta.test/two/v2 v2.1.0\n\ta.test/three v0.1.0 // indirect\n)\n\nreplace (\n\ta.test/three => ../three\n)\n",
		"README.md": "| `a.test/two/v2` | counting | counts |\n",
	}, nil},
}
