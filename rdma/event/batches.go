package event

import (
	"sync/atomic"
	"time"

	"github.com/godapl/godapl/internal/wait"
)

// Batch holds one or more events, delivered by the channel of [Dispatcher.Batches]. It
// belongs to the receiver until Release.
type Batch[T any] struct {
	// Events are the events, oldest first; at least one.
	Events []T
	// More is how many further events were queued when this batch was taken (uDAPL: nmore of
	// dat_evd_wait). With a Threshold of 1, events that a source such as a completion queue
	// still holds are not counted: a full batch means that there may be more.
	More int

	buf  []T
	home chan *Batch[T]
	out  atomic.Bool
	done func(several bool) // tells the dispatcher
}

// Release gives the batch back, to be filled again; Events must not be used
// any more. A batch that is never released is left to the garbage collector. A
// second Release panics. Release the batch when its events are answered: as long as it is out, an
// adapter may keep requests of the receiver back, for a few milliseconds at most, to send them
// together.
func (b *Batch[T]) Release() {
	if !b.out.CompareAndSwap(true, false) {
		panic("event: Batch.Release: the batch has been released before")
	}
	several := len(b.Events) > 1
	clear(b.buf)
	b.Events, b.More = nil, 0
	done := b.done
	select {
	case b.home <- b:
	default:
	}
	done(several)
}

// BatchConfig says when [Dispatcher.Batches] delivers a batch. The zero value delivers all
// queued events as soon as there is one.
type BatchConfig struct {
	// Size is the maximum number of events of a batch. Below 1: 64. A size below Threshold
	// means Threshold.
	Size int
	// Threshold is the number of events that must be queued before a batch is delivered
	// (uDAPL: the threshold of dat_evd_wait). Below 1: 1. The limit is [Dispatcher.Cap].
	Threshold int
	// Within bounds how long a batch waits for the threshold, counted from the wake-up by its
	// first event. When it has passed, a batch with the events queued so far is delivered. 0:
	// no bound.
	Within time.Duration
}

// filled returns the configuration with its defaults.
func (c BatchConfig) filled(most int) BatchConfig {
	if c.Size < 1 {
		c.Size = scratchLen
	}
	c.Threshold = min(max(c.Threshold, 1), most)
	c.Size = max(c.Size, c.Threshold)
	if c.Threshold == 1 || c.Within < 0 {
		c.Within = 0
	}
	return c
}

// recycled is how many released batches are kept for reuse.
const recycled = 4

// Batches is the channel for throughput: each receive gets all events that have arrived since
// the previous one. If the program releases its batches, nothing is allocated. All else is as
// with C. Only one of the two channels can run, with one configuration.
func (d *Dispatcher[T]) Batches(cfg BatchConfig) <-chan *Batch[T] {
	cfg = cfg.filled(d.Cap())
	if f := d.face.Load(); f != nil && f.batches != nil && f.cfg == cfg {
		return f.batches
	}
	f := &face[T]{batches: make(chan *Batch[T]), recycle: make(chan *Batch[T], recycled), cfg: cfg}
	f.released = func(several bool) {
		if several {
			f.out.Add(-1)
			d.push()
		}
	}
	running, err := d.startFace(f)
	if err != nil {
		close(f.batches)
		return f.batches
	}
	return running.batches
}

// passBatches is the goroutine of Batches.
func (d *Dispatcher[T]) passBatches(f *face[T]) {
	for {
		b := f.batch()
		if !d.fillBatch(f, b) {
			d.endFace(f, nil)
			return
		}
		b.out.Store(true)
		if len(b.Events) > 1 {
			f.out.Add(1)
		}
		select {
		case f.batches <- b:
			continue
		default:
		}
		f.offered.Store(true)
		select {
		case f.batches <- b:
			f.offered.Store(false)
		case <-f.stop:
			d.endFace(f, b.Events)
			return
		}
	}
}

// fillBatch waits for a batch. It returns false when the channel must end.
func (d *Dispatcher[T]) fillBatch(f *face[T], b *Batch[T]) bool {
	w := &d.waiter
	for {
		if f.cfg.Within > 0 { // the time begins with the first event
			d.expect(1)
			w.dst, w.only = nil, true
			if d.cell.Wait(w, d.pumpOptions(f.stop, Forever)) != wait.Ready || w.err != nil {
				return false
			}
		}
		if f.cfg.Threshold > 1 {
			d.expect(f.cfg.Threshold)
		}
		w.dst, w.only = b.buf, false
		limit := Forever
		if f.cfg.Within > 0 {
			limit = f.cfg.Within
		}
		switch d.cell.Wait(w, d.pumpOptions(f.stop, limit)) {
		case wait.Ready:
		case wait.Timeout:
			d.expect(1)
			w.Look()
		default:
			return false
		}
		if w.err != nil {
			return false
		}
		if w.n > 0 { // others may receive from a channel that was stopped
			b.Events, b.More = b.buf[:w.n], w.more
			return true
		}
	}
}

// expect sets how many events the waiter waits for. Only the waiter calls it.
func (d *Dispatcher[T]) expect(n int) {
	d.waiter.want = n
	d.mu.Lock()
	d.want = n
	d.mu.Unlock()
}

// batch reuses a released batch or allocates one.
func (f *face[T]) batch() *Batch[T] {
	select {
	case b := <-f.recycle:
		return b
	default:
		return &Batch[T]{buf: make([]T, f.cfg.Size), home: f.recycle, done: f.released}
	}
}
