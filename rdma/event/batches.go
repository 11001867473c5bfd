package event

import (
	"sync/atomic"

	"github.com/godapl/godapl/internal/wait"
)

// Batch is a number of events that came over the channel of Batches. It belongs
// to the receiver until Release.
type Batch[T any] struct {
	// Events are the events, oldest first; at least one.
	Events []T

	buf  []T
	home chan *Batch[T]
	out  atomic.Bool
}

// Release gives the batch back to be filled again; Events must not be used any
// more. A batch that is never released is left to the garbage collector. It
// panics if the batch was released before.
func (b *Batch[T]) Release() {
	if !b.out.CompareAndSwap(true, false) {
		panic("event: Batch.Release: the batch has been released before")
	}
	clear(b.buf)
	b.Events = nil
	select {
	case b.home <- b:
	default:
	}
}

// recycled is how many batches are kept to be filled again.
const recycled = 4

// Batches is the channel face for throughput: each receive gets all events that
// have come since the last, up to size (below 1: 64). Release the batches, and
// nothing is allocated. All else is as with C; only one of the two can run, with
// one size.
func (d *Dispatcher[T]) Batches(size int) <-chan *Batch[T] {
	if size < 1 {
		size = scratchLen
	}
	if f := d.face.Load(); f != nil && f.size == size {
		return f.batches
	}
	c, _ := d.BatchChan(size)
	return c
}

// BatchChan is Batches with the reason why the channel could not start:
// ErrState, ErrClosed.
func (d *Dispatcher[T]) BatchChan(size int) (<-chan *Batch[T], error) {
	if size < 1 {
		size = scratchLen
	}
	f := &face[T]{batches: make(chan *Batch[T]), recycle: make(chan *Batch[T], recycled), size: size}
	running, err := d.startFace(f)
	if err != nil {
		close(f.batches)
		return f.batches, err
	}
	return running.batches, nil
}

// passBatches is the goroutine of Batches.
func (d *Dispatcher[T]) passBatches(f *face[T]) {
	w := &d.waiter
	for {
		b := f.batch()
		w.dst = b.buf
		if d.cell.Wait(w, d.options(f.stop, Forever)) != wait.Ready || w.err != nil {
			d.endFace(f, nil)
			return
		}
		b.Events = b.buf[:w.n]
		b.out.Store(true)
		select {
		case f.batches <- b:
			continue
		default:
		}
		select {
		case f.batches <- b:
		case <-f.stop:
			d.endFace(f, b.Events)
			return
		}
	}
}

// batch takes a released batch, or makes one.
func (f *face[T]) batch() *Batch[T] {
	select {
	case b := <-f.recycle:
		return b
	default:
		return &Batch[T]{buf: make([]T, f.size), home: f.recycle}
	}
}
