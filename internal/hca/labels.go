package hca

import (
	"context"
	"runtime/pprof"
)

// Labeled returns f with labels for profiles: a goroutine that begins with it is listed under the adapter and what it
// is for. A goroutine has the labels of its creator otherwise, which is often the program. adapter may be "": what
// serves several adapters.
func Labeled(adapter, role string, f func()) func() {
	return func() {
		pprof.SetGoroutineLabels(pprof.WithLabels(context.Background(), labels(adapter, role)))
		f()
	}
}

// Do calls f with such labels beside those of ctx, for work that a program has asked for. Behind it the goroutine has
// the labels of ctx, as with [pprof.Do]: a function of the program that it calls next has the program's own.
func Do(ctx context.Context, adapter, role string, f func()) {
	pprof.Do(ctx, labels(adapter, role), func(context.Context) { f() })
}

func labels(adapter, role string) pprof.LabelSet {
	if adapter == "" {
		return pprof.Labels("rdma_role", role)
	}
	return pprof.Labels("rdma_adapter", adapter, "rdma_role", role)
}
