package event

import (
	"slices"
	"sync/atomic"

	"github.com/godapl/godapl/internal/hca"
	"github.com/godapl/godapl/internal/wait"
)

// face is a running channel: a goroutine that holds the role of the single waiter and forwards
// events. The dispatcher owns it: StopChan and Close wait for it.
type face[T any] struct {
	events   chan T         // one of the two is set
	batches  chan *Batch[T] // has room for one: what arrives before the program receives it joins it
	recycle  chan *Batch[T]
	cfg      BatchConfig        // of batches
	hand     atomic.Int32       // events that the goroutine of events has taken, and not sent yet
	out      atomic.Int32       // batches of several events that were delivered, or are on offer, and not released
	released func(several bool) // of a batch
	// stopping is guarded by the dispatcher's mu; stop is closed with it.
	stopping bool
	stop     chan struct{}
	done     chan struct{} // closed when the goroutine has ended
}

// C is a channel of single events. The first call starts it; later calls return the same
// channel, so it can be used in a select:
//
//	select {
//	case c := <-d.C(): …
//	case <-ctx.Done(): …
//	}
//
// While the channel runs it is the single waiter: Wait, Poll and Dequeue are refused.
// StopChan, Close and SetWaitable(false) end it and close the channel. If the channel cannot
// start (another goroutine waits, Batches runs, the dispatcher is closed), C returns a closed
// channel and [Dispatcher.Err] says why. Events in the channel count against Cap but not in
// Len. For the greatest throughput use Batches.
//
// As long as the channel holds events, an adapter may keep requests of their receiver back, to send
// them together. It sends them with the request that follows the last event, or when C is called and
// the channel is empty. A receiver that keeps the channel in a variable, and posts nothing after the
// last event, has its earlier requests delayed by a few milliseconds at times.
func (d *Dispatcher[T]) C() <-chan T {
	if f := d.face.Load(); f != nil && f.events != nil {
		if len(f.events) == 0 {
			d.push()
		}
		return f.events
	}
	f := &face[T]{events: make(chan T, min(d.Cap(), chanBuffer))}
	running, err := d.startFace(f)
	if err != nil {
		close(f.events)
		return f.events
	}
	return running.events
}

// chanBuffer is the buffer of a channel. A larger buffer saves goroutine switches.
const chanBuffer = 64

// StopChan ends the channel of C or Batches and waits until its goroutine has ended. Events
// that the channel held return to the front of the queue; none is lost and their order stays.
// The channel is closed. A goroutine that still receives from it gets the remaining events,
// unless another call takes them first; no event is delivered twice. Without a channel
// StopChan does nothing.
func (d *Dispatcher[T]) StopChan() {
	d.mu.Lock()
	f := d.face.Load()
	if f == nil {
		f = d.ending
	}
	if f == nil {
		d.mu.Unlock()
		return
	}
	if !f.stopping {
		f.stopping = true
		close(f.stop)
	}
	d.mu.Unlock()
	d.cell.Wake() // a goroutine that parks does not watch stop
	<-f.done
}

// startFace makes f the running face, or returns the running face if it is of the same kind.
func (d *Dispatcher[T]) startFace(f *face[T]) (*face[T], error) {
	var elsewhere wait.Joint
	defer func() { // with no lock held: it may notify this dispatcher
		if elsewhere != nil {
			elsewhere.Elsewhere()
		}
	}()
	d.mu.Lock()
	defer d.mu.Unlock()
	if old := d.face.Load(); old != nil && (old.events != nil) == (f.events != nil) && old.cfg == f.cfg {
		return old, nil
	}
	j, err := d.claimLocked(1)
	if err != nil {
		return nil, err
	}
	elsewhere = j
	f.stop, f.done = make(chan struct{}), make(chan struct{})
	d.running.Store(true)
	d.face.Store(f)
	d.updatePushLimit()
	if f.events != nil {
		go hca.Labeled("", "channel", func() { d.passEvents(f) })()
	} else {
		go hca.Labeled("", "channel", func() { d.passBatches(f) })()
	}
	return f, nil
}

// endFace closes the channel and returns the waiter's role and the held events. Single events in the
// channel's buffer stay there: if endFace removed them, it could reorder them with a
// concurrent receiver. Of batches there is one at most.
func (d *Dispatcher[T]) endFace(f *face[T], held []T) {
	if f.events != nil {
		close(f.events)
	} else {
		close(f.batches)
	}
	d.mu.Lock()
	d.face.Store(nil)
	d.ending = f
	d.running.Store(false)
	if !d.closed {
		if f.batches != nil {
			if b := <-f.batches; b != nil { // of the closed channel: at once
				held = append(slices.Clone(b.Events), held...)
			}
		}
		d.putFront(f.events, held)
	}
	d.mu.Unlock()
	d.unclaim()
	d.mu.Lock()
	if d.ending == f {
		d.ending = nil
	}
	d.mu.Unlock()
	close(f.done)
}
