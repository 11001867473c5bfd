package mailbox

import (
	"context"
	"runtime/pprof"
)

// labeled returns f with labels for profiles, which are those of the adapter's own goroutines. A goroutine
// has the labels of its creator otherwise, which is often the program.
func labeled(adapter string, f func()) func() {
	return func() {
		pprof.SetGoroutineLabels(pprof.WithLabels(context.Background(), pprof.Labels("rdma_adapter", adapter, "rdma_role", "mailbox")))
		f()
	}
}
