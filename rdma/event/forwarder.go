package event

// forwarder is the goroutine of C: one wait that lasts as long as the channel. Each look sends what is queued to the
// channel.
type forwarder[T any] struct {
	d    *Dispatcher[T]
	f    *face[T]
	buf  []T // what a look takes at a time
	held []T // what was not sent when the channel ended
	park *facePark
}

// passEvents is the goroutine of C.
func (d *Dispatcher[T]) passEvents(f *face[T]) {
	w := &forwarder[T]{d: d, f: f, buf: make([]T, cap(f.events)), park: d.facePark()}
	o := d.pumpOptions(f.stop, Forever)
	w.park.serve(&o, true)
	d.cell.Wait(w, o)
	d.endFace(f, w.held)
}

// Look implements wait.Waitable. It returns true when the channel must end.
func (w *forwarder[T]) Look() bool {
	at(w.d, "look")
	for {
		n, err := w.d.take(w.buf, asWaiter)
		if n > 0 && !w.pass(w.buf[:n]) {
			return true
		}
		if n < len(w.buf) {
			return err != nil || w.d.waiter.broken != nil
		}
	}
}

// Arm implements wait.Waitable.
func (w *forwarder[T]) Arm() { w.d.waiter.Arm() }

// pass sends events to the channel. It returns false, and holds the events that are left, if the channel must end.
func (w *forwarder[T]) pass(evs []T) bool {
	f := w.f
	f.hand.Store(int32(len(evs)))
	for i := range evs {
		f.hand.Add(-1)
		select {
		case f.events <- evs[i]:
			continue
		default:
		}
		if !w.await(evs[i]) {
			w.held = evs[i:]
			f.hand.Store(0)
			return false
		}
	}
	clear(evs) // the receiver owns them now
	return true
}

// await sends an event to a channel that is full. It returns false if the channel must end. Meanwhile the goroutine
// reads no connection, so it leaves its park: a program that receives nothing may wait for something else of that
// connection.
func (w *forwarder[T]) await(ev T) bool {
	w.park.pause(true)
	defer w.park.pause(false)
	select {
	case w.f.events <- ev:
		return true
	case <-w.f.stop:
		return false
	}
}
