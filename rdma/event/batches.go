package event

import (
	"sync/atomic"
	"time"
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
// the previous one, as far as a batch has room. If the program releases its batches, nothing is
// allocated. All else is as with C, but the events of batches do not count against Cap: one batch
// in the channel and one behind it wait beside the queue. Only one of the two channels can run,
// with one configuration.
func (d *Dispatcher[T]) Batches(cfg BatchConfig) <-chan *Batch[T] {
	cfg = cfg.filled(d.Cap())
	if f := d.face.Load(); f != nil && f.batches != nil && f.cfg == cfg {
		return f.batches
	}
	f := &face[T]{batches: make(chan *Batch[T], 1), recycle: make(chan *Batch[T], recycled), cfg: cfg}
	f.released = func(several bool) {
		if several {
			f.out.Add(-1)
		}
		d.push() // requests may have been kept back while this batch lay in the channel
	}
	running, err := d.startFace(f)
	if err != nil {
		close(f.batches)
		return f.batches
	}
	return running.batches
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
