package event

import "github.com/godapl/godapl/internal/wait"

// face is a channel that runs: a goroutine that has the role of the one waiter
// and passes on what comes. The dispatcher owns it: StopChan and Close wait for
// it.
type face[T any] struct {
	events  chan T         // one of the two is set
	batches chan *Batch[T] //
	recycle chan *Batch[T]
	cfg     BatchConfig // of batches
	// stopping is guarded by the dispatcher's mu; stop is closed with it.
	stopping bool
	stop     chan struct{}
	done     chan struct{} // closed when the goroutine has ended
}

// C is the channel face: events, one by one. The first call starts it, later
// calls return the same channel, so it may stand in a select:
//
//	select {
//	case c := <-d.C(): …
//	case <-ctx.Done(): …
//	}
//
// While it runs it is the one waiter: Wait, Poll and Dequeue are refused.
// StopChan ends it, and so do Close and SetWaitable(false): the channel is
// closed then. A channel that cannot start (somebody waits, Batches runs, the
// dispatcher is closed) is closed from the beginning; [Dispatcher.Err] says why. What the
// channel holds counts against Cap but not in Len. For the greatest throughput
// use Batches.
func (d *Dispatcher[T]) C() <-chan T {
	if f := d.face.Load(); f != nil && f.events != nil {
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

// chanBuffer is the buffer of a channel: so many events can go from goroutine to
// goroutine without a switch each.
const chanBuffer = 64

// StopChan ends the channel face or the batch face and waits until it has
// ended. What it held is first in the queue again, for every other face; nothing
// is lost and nothing changes its order. The channel is closed; who goes on to
// receive from it still gets its last events, unless another face has been
// faster, and none twice. Without a channel StopChan does nothing.
func (d *Dispatcher[T]) StopChan() {
	d.mu.Lock()
	f := d.face.Load()
	if f == nil {
		d.mu.Unlock()
		return
	}
	if !f.stopping {
		f.stopping = true
		close(f.stop)
	}
	d.mu.Unlock()
	<-f.done
}

// startFace makes f the running face, or returns the one that runs if it is of
// the same kind.
func (d *Dispatcher[T]) startFace(f *face[T]) (*face[T], error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if old := d.face.Load(); old != nil && (old.events != nil) == (f.events != nil) && old.cfg == f.cfg {
		return old, nil
	}
	if err := d.claimLocked(1); err != nil {
		return nil, err
	}
	f.stop, f.done = make(chan struct{}), make(chan struct{})
	d.face.Store(f)
	d.resoft()
	if f.events != nil {
		go d.passEvents(f)
	} else {
		go d.passBatches(f)
	}
	return f, nil
}

// endFace closes the channel and gives the role back, with what was held. What
// is in the channel's buffer stays there, to be received by whoever comes first:
// taking it out here could overtake a receiver.
func (d *Dispatcher[T]) endFace(f *face[T], held []T) {
	if f.events != nil {
		close(f.events)
	} else {
		close(f.batches)
	}
	d.mu.Lock()
	d.face.Store(nil)
	if !d.closed {
		d.putFront(f.events, held)
	}
	d.mu.Unlock()
	d.unclaim()
	close(f.done)
}

// passEvents is the goroutine of C.
func (d *Dispatcher[T]) passEvents(f *face[T]) {
	w := &d.waiter
	var none T
	for {
		w.first = none // it is the receiver's
		if d.cell.Wait(w, d.options(f.stop, Forever)) != wait.Ready || w.err != nil {
			d.endFace(f, nil)
			return
		}
		select {
		case f.events <- w.first:
			continue
		default:
		}
		select {
		case f.events <- w.first:
		case <-f.stop:
			d.endFace(f, []T{w.first})
			return
		}
	}
}
