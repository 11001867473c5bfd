package hcatest

// TB is the part of *testing.T that cases use. Fatalf is called on the case's
// own goroutine only; the rest may be called on any.
type TB interface {
	Helper()
	Name() string
	Cleanup(func())
	Failed() bool
	Logf(format string, args ...any)
	Errorf(format string, args ...any)
	Fatalf(format string, args ...any)
}
