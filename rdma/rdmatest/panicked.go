package rdmatest

import (
	"fmt"
	"os"
)

// panicked is deferred by the goroutines that run a program. A panic in a bubble ends the process, and the log of the test
// is lost, so what a failed world logs is printed before. If the world is quiet, a panic is a failure like others.
func (w *World) panicked() {
	p := recover()
	switch {
	case p == nil:
	case w.quiet:
		w.t.Fail()
	default:
		fmt.Fprintln(os.Stderr, w.was())
		panic(p)
	}
}
