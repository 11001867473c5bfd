package event

import (
	"context"
	"iter"
)

// Drain iterates over batches: each step moves up to len(dst) events into dst and yields them.
// It polls for a bounded time and blocks when nothing arrives. Between the steps there is no
// waiter, so the loop body may call every other method.
//
// The last step yields no events and the reason for the end: ErrCanceled or
// ErrTimeout when ctx ends, ErrClosed after Close, ErrState when waiting is refused.
// Events that were not yielded stay queued. A nil ctx is a panic.
//
//	var buf [64]rdma.Completion
//	for completions, err := range d.Drain(ctx, buf[:]) {
//		if err != nil {
//			return err
//		}
//		for _, c := range completions { … }
//	}
func (d *Dispatcher[T]) Drain(ctx context.Context, dst []T) iter.Seq2[[]T, error] {
	mustHave("Drain", ctx != nil)
	return func(yield func([]T, error) bool) {
		done := ctx.Done()
		for {
			select {
			case <-done: // ends the loop even if events keep arriving
				yield(nil, errContext(ctx, "wait", d.cfg.Name))
				return
			default:
			}
			n, err := d.waitBatch(dst, ctx, Forever)
			if err != nil {
				yield(nil, err)
				return
			}
			if !yield(dst[:n], nil) {
				return
			}
		}
	}
}
