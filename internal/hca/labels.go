package hca

import (
	"context"
	"runtime/pprof"
)

// Labeled returns f with labels for profiles: a goroutine that begins with it is listed under the adapter and what it
// is for. A goroutine has the labels of its creator otherwise, which is often the program.
func Labeled(adapter, role string, f func()) func() {
	return func() {
		pprof.SetGoroutineLabels(pprof.WithLabels(context.Background(), pprof.Labels("rdma_adapter", adapter, "rdma_role", role)))
		f()
	}
}
