package event

import (
	"context"
	"iter"
)

// Drain iterates over batches: each step moves up to len(dst) events into dst
// and yields how many. It polls in bounded bursts and parks when nothing comes.
// Between the steps nobody waits, so the body may use every other face.
//
// The loop ends when ctx ends or the dispatcher is closed, and when waiting is
// refused; WaitBatch then tells why. Events that were not yielded stay queued.
//
//	var buf [64]rdma.Completion
//	for n := range d.Drain(ctx, buf[:]) {
//		for _, c := range buf[:n] { … }
//	}
func (d *Dispatcher[T]) Drain(ctx context.Context, dst []T) iter.Seq[int] {
	mustHave("Drain", ctx != nil)
	return func(yield func(int) bool) {
		done := ctx.Done()
		for {
			select {
			case <-done: // it ends even if events never cease
				return
			default:
			}
			n, err := d.waitBatch(dst, ctx, Forever)
			if err != nil || !yield(n) {
				return
			}
		}
	}
}
