package event

// gatherer is the goroutine of Batches. Without a time limit it is one wait that lasts as long as the channel: each look
// sends what is queued, if that is enough.
type gatherer[T any] struct {
	d    *Dispatcher[T]
	f    *face[T]
	b    *Batch[T] // the next one; its Events were not sent when the channel ended
	park *facePark
}

// passBatches is the goroutine of Batches.
func (d *Dispatcher[T]) passBatches(f *face[T]) {
	w := &gatherer[T]{d: d, f: f, b: f.batch(), park: d.facePark()}
	if f.cfg.Within > 0 {
		for w.fill() && w.pass() {
			w.b = f.batch()
		}
	} else {
		if f.cfg.Threshold > 1 {
			d.expect(f.cfg.Threshold)
		}
		o := d.pumpOptions(f.stop, Forever)
		w.park.serve(&o, true)
		d.cell.Wait(w, o)
	}
	d.endFace(f, w.b.Events)
}

// Look implements wait.Waitable. It returns true when the channel must end.
func (w *gatherer[T]) Look() bool {
	for {
		x := &w.d.waiter
		x.dst, x.only = w.b.buf, false
		if !x.Look() {
			return false
		}
		if x.err != nil {
			return true
		}
		all := x.n < len(x.dst)
		w.b.Events, w.b.More = w.b.buf[:x.n], x.more
		if !w.pass() {
			return true
		}
		w.b = w.f.batch()
		if all {
			return false
		}
	}
}

// Arm implements wait.Waitable.
func (w *gatherer[T]) Arm() { w.d.waiter.Arm() }

// pass sends the events of the batch to the channel: with an earlier batch that the program has not received, or as one
// more. It returns false if the channel must end.
func (w *gatherer[T]) pass() bool {
	f := w.f
	select {
	case first := <-f.batches:
		joined := f.join(first, w.b)
		f.batches <- first // nobody else sends
		if joined {
			return true
		}
	default:
	}
	return w.offer()
}

// join appends the events of b to an earlier batch that the program has not received, and keeps b for reuse, if there is
// room for all of them.
func (f *face[T]) join(first, b *Batch[T]) bool {
	had := len(first.Events)
	if had+len(b.Events) > len(first.buf) {
		return false
	}
	first.Events, first.More = first.buf[:had+copy(first.buf[had:], b.Events)], b.More
	if had == 1 {
		f.out.Add(1)
	}
	clear(b.Events)
	b.Events, b.More = nil, 0
	select {
	case f.recycle <- b:
	default:
	}
	return true
}

// offer sends the batch, and waits until the program has received one that is in the channel. Meanwhile the goroutine
// reads no connection, so it leaves its park: see forwarder.await.
func (w *gatherer[T]) offer() bool {
	f, b := w.f, w.b
	b.out.Store(true)
	if len(b.Events) > 1 {
		f.out.Add(1)
	}
	select {
	case f.batches <- b:
		return true
	default:
	}
	w.park.pause(true)
	defer w.park.pause(false)
	select {
	case f.batches <- b:
		return true
	case <-f.stop:
		return false
	}
}
