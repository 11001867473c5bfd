package lint_test

// exposing is a file of package rdma that imports internal/hca, with a declaration on
// line 5.
func exposing(decl string) map[string]string {
	return map[string]string{"rdma/a.go": "package rdma\n\nimport \"m.test/m/internal/hca\"\n\n" + decl + "\n"}
}

var exposedSamples = []sample{
	{"api-names-no-internals", exposing("func F(e hca.QP) {}"), []string{"rdma/a.go:5"}},
	{"api-names-no-internals", exposing("type T = hca.QP"), []string{"rdma/a.go:5"}},
	{"api-names-no-internals", exposing("type T struct{ F hca.QP }"), []string{"rdma/a.go:5"}},
	{"api-names-no-internals", exposing("const C = T(hca.C)"), []string{"rdma/a.go:5"}},
	{"api-names-no-internals", exposing("func (t *T) F() hca.QP { return nil }"), []string{"rdma/a.go:5"}},
	{"api-names-no-internals", exposing("func (t *t) F() hca.QP { return nil }"), nil},
	{"api-names-no-internals", exposing("type T struct{ f hca.QP }"), nil},
	{"api-names-no-internals", exposing("func F() { hca.G() }"), nil},
	{"api-names-no-internals", exposing("func f(e hca.QP) {}"), nil},
}
