package rdma

import (
	"context"
	"runtime/trace"
)

// Tasks and regions for runtime/trace. While no trace is taken, each costs a load and a branch.

// task begins a task, for what takes several goroutines or messages.
func task(ctx context.Context, name string) (context.Context, func()) {
	if !trace.IsEnabled() {
		return ctx, nothing
	}
	ctx, t := trace.NewTask(ctx, name)
	return ctx, t.End
}

func nothing() {}

// region begins the region of a call that waits, named by the call. ctx is not nil.
func region(ctx context.Context, op string) *trace.Region {
	if trace.IsEnabled() {
		op = "rdma " + op
	}
	return trace.StartRegion(ctx, op) // nothing, unless a trace is taken
}
