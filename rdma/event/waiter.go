package event

import (
	"context"
	"time"

	"github.com/godapl/godapl/internal/wait"
)

// waiter implements wait.Waitable for the single waiter. The goroutine that holds the role
// owns it.
type waiter[T any] struct {
	d    *Dispatcher[T]
	want int
	dst  []T  // where a batch goes; nil: one event, to first
	only bool // count, but take no event
	// parker is where a goroutine that waits parks; nil: on its token.
	parker wait.Parker
	// The result of the last Look.
	first T
	n     int // events in dst
	more  int
	err   error
	// broken is set if the sources cannot be armed. The wait then ends, since nothing would
	// wake it.
	broken error
}

// Look takes the events if the threshold is reached.
func (w *waiter[T]) Look() bool {
	at(w.d, "look")
	ok := false
	switch {
	case w.only:
		w.more, w.err = w.d.countAsWaiter()
		ok = w.more >= w.want
	case w.dst != nil && w.want > 1:
		if w.more, w.err = w.d.countAsWaiter(); w.more < w.want {
			w.n = 0
			break
		}
		fallthrough
	case w.dst != nil:
		w.n, w.err = w.d.take(w.dst, asWaiter)
		ok = w.n > 0
		if w.more = 0; w.n == len(w.dst) {
			w.more = w.d.Len()
		}
	default:
		w.more, ok, w.err = w.d.takeFirst(&w.first, w.want, asWaiter)
	}
	if !ok && w.err == nil {
		w.err = w.broken
	}
	return ok || w.err != nil
}

// countAsWaiter counts the queued events after moving as many from the sources as the queue
// has room for.
func (d *Dispatcher[T]) countAsWaiter() (int, error) {
	if d.gate.Load()&gateSources != 0 {
		d.drainLock.Lock()
		d.fill()
		d.release()
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.queued(), d.refusal(asWaiter)
}

// Arm arms the sources.
func (w *waiter[T]) Arm() {
	if w.d.gate.Load()&gateSources != 0 {
		at(w.d, "arm")
		w.broken = w.d.armSources()
	}
}

// claim makes the caller the single waiter. The caller has checked the threshold.
func (d *Dispatcher[T]) claim(want int) error {
	d.mu.Lock()
	j, err := d.claimLocked(want)
	d.mu.Unlock()
	if j != nil {
		j.Elsewhere()
	}
	return err
}

// claimLocked is claim for a caller that holds mu.
func (d *Dispatcher[T]) claimLocked(want int) (elsewhere wait.Joint, err error) {
	if err := d.refusal(asEntrant); err != nil {
		return nil, err
	}
	d.waiting, d.want = true, want
	d.node.direct.Store(true)
	d.waits++
	d.updateGate()
	d.waiter.want, d.waiter.parker = want, nil
	if !d.listened() { // a listener has armed the sources for good: see watch
		d.waiter.parker = d.parker
	} else {
		elsewhere, _ = d.parker.(wait.Joint)
	}
	return elsewhere, nil
}

// unclaim ends the role. It triggers the set if events are left, because arrivals during a
// direct wait do not.
func (d *Dispatcher[T]) unclaim() {
	d.resign()
	d.watch()
}

// resign is unclaim without arming the sources for the set.
func (d *Dispatcher[T]) resign() {
	var none T
	w := &d.waiter
	w.first, w.dst, w.only, w.n, w.more, w.err, w.broken, w.parker = none, nil, false, 0, 0, nil, nil, nil
	d.mu.Lock()
	if d.closed {
		d.cell.Forget()
	}
	d.waiting, d.ousted = false, false
	d.node.direct.Store(false)
	d.updateGate()
	if d.queued() > 0 {
		d.markReady()
	}
	d.mu.Unlock()
}

// options are the settings of the wait loop for a call that waits on d and has looked. ctx may be
// noContext.
func (d *Dispatcher[T]) options(ctx context.Context, timeout time.Duration) wait.Options {
	o := wait.Options{Context: ctx, Looked: true, Parker: d.waiter.parker}
	if timeout != Forever {
		o.Timeout = timeout
	}
	if d.gate.Load()&gateSources != 0 {
		d.bursts(&o)
	}
	return o
}

// pumpOptions are the settings for the goroutine of a channel. It makes no burst: that would run in
// front of the receiver, which the goroutine has just woken.
func (d *Dispatcher[T]) pumpOptions(stop <-chan struct{}, limit time.Duration) wait.Options {
	o := wait.Options{Done: stop, Looked: d.nothingNow(), Parker: d.waiter.parker}
	if limit != Forever {
		o.Timeout = limit
	}
	return o
}

// ended is the error of a wait that reached its limit. ctx is nil for a time limit.
func (d *Dispatcher[T]) ended(ctx context.Context) error {
	if ctx == nil {
		return &d.hot.timeout
	}
	return errContext(ctx, "wait", d.cfg.Name)
}
