package event

import (
	"context"
	"time"

	"github.com/godapl/godapl/internal/wait"
)

// Wait blocks until at least threshold events are queued, takes the first and returns how many
// more there are (uDAPL: dat_evd_wait, event and nmore). Events that are queued already count,
// quiet ones too. After that only an arrival that is not quiet makes it count again.
//
// It ends without an event when ctx ends (ErrCanceled or ErrTimeout; nothing is taken, more
// says how many are queued), with Close (ErrClosed) and with SetWaitable(false) (ErrState).
// ErrState also if another goroutine waits or a channel runs; ErrInvalid if the threshold is
// not 1 to Cap. Only errors are allocated.
func (d *Dispatcher[T]) Wait(ctx context.Context, threshold int) (first T, more int, err error) {
	if ctx == nil {
		return first, 0, d.fail(ErrInvalid, "wait", detailNil)
	}
	more, err = d.waitFirst(&first, threshold, ctx, Forever)
	return first, more, err
}

// WaitTimeout is Wait with a time limit instead of a context (uDAPL: dat_evd_wait, timeout):
// ErrTimeout when it has passed. 0 or less never blocks; Forever is no limit. It is cheaper
// than Wait: it reuses its timer, and reads the clock only if it must block.
func (d *Dispatcher[T]) WaitTimeout(timeout time.Duration, threshold int) (first T, more int, err error) {
	more, err = d.waitFirst(&first, threshold, noContext, timeout)
	return first, more, err
}

// noContext stands for the context of a wait with a time limit.
var noContext context.Context

// waitFirst implements Wait and WaitTimeout. ctx may be noContext.
func (d *Dispatcher[T]) waitFirst(first *T, threshold int, ctx context.Context, timeout time.Duration) (more int, err error) {
	more, ok, err := d.takeFirst(first, threshold, asEntrant)
	if ok || err != nil {
		return more, err
	}
	if timeout <= 0 {
		return more, d.ended(noContext)
	}
	if err := d.claim(threshold); err != nil {
		return more, err
	}
	var done <-chan struct{}
	if ctx != nil {
		done = ctx.Done()
	}
	w := &d.waiter
	o := d.options(done, timeout)
	o.Looked = true
	out := d.cell.Wait(w, o)
	*first, more, err = w.first, w.more, w.err
	d.unclaim()
	if out != wait.Ready {
		err = d.ended(ctx)
	}
	return more, err
}

// WaitBatch blocks until an event is queued and moves all queued events, up to len(dst), into
// dst. It ends as Wait does; ErrInvalid if dst is empty. It is best for throughput: one
// wake-up serves all events that have arrived meanwhile.
func (d *Dispatcher[T]) WaitBatch(ctx context.Context, dst []T) (n int, err error) {
	if ctx == nil {
		return 0, d.fail(ErrInvalid, "wait", detailNil)
	}
	return d.waitBatch(dst, ctx, Forever)
}

// WaitBatchTimeout is WaitBatch with a time limit; see WaitTimeout.
func (d *Dispatcher[T]) WaitBatchTimeout(timeout time.Duration, dst []T) (n int, err error) {
	return d.waitBatch(dst, noContext, timeout)
}

func (d *Dispatcher[T]) waitBatch(dst []T, ctx context.Context, timeout time.Duration) (n int, err error) {
	if len(dst) == 0 {
		return 0, d.fail(ErrInvalid, "wait", "dst has no room")
	}
	n, err = d.take(dst, asEntrant)
	if n > 0 || err != nil {
		return n, err
	}
	if timeout <= 0 {
		return 0, d.ended(noContext)
	}
	if err := d.claim(1); err != nil {
		return 0, err
	}
	var done <-chan struct{}
	if ctx != nil {
		done = ctx.Done()
	}
	w := &d.waiter
	w.dst = dst
	o := d.options(done, timeout)
	o.Looked = true
	out := d.cell.Wait(w, o)
	n, err = w.n, w.err
	d.unclaim()
	if out != wait.Ready {
		err = d.ended(ctx)
	}
	return n, err
}
