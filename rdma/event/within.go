package event

import (
	"time"

	"github.com/godapl/godapl/internal/wait"
)

// fill waits for a batch of a channel with a time limit. It returns false when the channel must end.
func (w *gatherer[T]) fill() bool {
	d, x, cfg := w.d, &w.d.waiter, &w.f.cfg
	for {
		// The time begins with the first event.
		d.expect(1)
		x.dst, x.only = nil, true
		if w.wait(Forever) != wait.Ready || x.err != nil {
			return false
		}
		d.expect(cfg.Threshold)
		x.dst, x.only = w.b.buf, false
		switch w.wait(cfg.Within) {
		case wait.Ready:
		case wait.Timeout:
			d.expect(1)
			x.Look()
		default:
			return false
		}
		if x.err != nil {
			return false
		}
		if x.n > 0 { // others may receive from a channel that was stopped
			w.b.Events, w.b.More = w.b.buf[:x.n], x.more
			return true
		}
	}
}

// wait is one wait of fill.
func (w *gatherer[T]) wait(limit time.Duration) wait.Outcome {
	o := w.d.pumpOptions(w.f.stop, limit)
	w.park.serve(&o, false)
	return w.d.cell.Wait(&w.d.waiter, o)
}

// expect sets how many events the waiter waits for. Only the waiter calls it.
func (d *Dispatcher[T]) expect(n int) {
	d.waiter.want = n
	d.mu.Lock()
	d.want = n
	d.mu.Unlock()
}
