package event

import (
	"context"
	"time"

	"github.com/godapl/godapl/internal/wait"
)

// Wait blocks until at least threshold events are queued, takes the first and returns the
// number of the others (uDAPL: dat_evd_wait, event and nmore). Events that are queued already
// count, quiet ones included. After that, only an arrival that is not quiet makes Wait count
// again.
//
// Wait ends without an event when ctx is done (ErrCanceled or ErrTimeout; nothing is taken,
// and more is the number of queued events), with Close (ErrClosed) and with
// SetWaitable(false) (ErrState). It fails with ErrState if another goroutine waits or a
// channel runs, and with ErrInvalid if the threshold is not 1 to Cap. It allocates only errors,
// and, if it sleeps with a context that the two previous calls did not use, a registration for the
// end of that context.
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
	d.looks()
	defer func() {
		if more > 0 && err == nil {
			d.took()
		}
	}()
	if more, over, err := d.enterWait(first, threshold, asEntrant, timeout > 0); over {
		return more, err
	}
	w := &d.waiter
	out := d.cell.Wait(w, d.options(ctx, timeout))
	*first, more, err = w.first, w.more, w.err
	d.unclaim()
	if out != wait.Ready {
		err = d.ended(ctx)
	}
	return more, err
}

// enterWait looks and, if there is too little and the call blocks, claims the dispatcher for it. over says that
// the call has its result, and has claimed nothing.
func (d *Dispatcher[T]) enterWait(first *T, threshold int, role uint32, block bool) (more int, over bool, err error) {
	if !block || threshold != 1 || !d.nothingNow() {
		more, ok, err := d.takeFirst(first, threshold, role)
		if ok || err != nil {
			return more, true, err
		}
		if !block {
			return more, true, d.ended(noContext)
		}
	}
	if err := d.claim(threshold); err != nil {
		return 0, true, err
	}
	return 0, false, nil
}

// WaitBatch blocks until an event is queued and moves all queued events, up to len(dst), into
// dst. It ends as Wait does, and fails with ErrInvalid if dst is empty. It gives the best
// throughput: one wake-up serves all events that have arrived meanwhile.
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
	d.looks()
	defer func() {
		if n > 1 {
			d.took()
		}
	}()
	if timeout <= 0 || !d.nothingNow() {
		n, err = d.take(dst, asEntrant)
		if n > 0 || err != nil {
			return n, err
		}
		if timeout <= 0 {
			return 0, d.ended(noContext)
		}
	}
	if err := d.claim(1); err != nil {
		return 0, err
	}
	w := &d.waiter
	w.dst = dst
	out := d.cell.Wait(w, d.options(ctx, timeout))
	n, err = w.n, w.err
	d.unclaim()
	if out != wait.Ready {
		err = d.ended(ctx)
	}
	return n, err
}
