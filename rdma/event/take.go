package event

// Poll moves up to len(dst) events into dst, oldest first, and returns their number (uDAPL:
// dat_evd_dequeue, many at once; verbs: ibv_poll_cq). It never blocks. It also returns 0 when
// it is refused: while another goroutine waits or a channel runs, and after Close.
// [Dispatcher.Err] tells these cases apart.
//
// Polling a dispatcher with sources drives their progress on the caller's goroutine. With
// nothing queued, events go from the source straight into dst. One goroutine at a time drains
// the sources. During another goroutine's drain, and in the put function of a sink, which runs
// inside a drain, Poll returns only queued events.
func (d *Dispatcher[T]) Poll(dst []T) (n int) {
	d.looks()
	if len(dst) == 0 || d.gate.Load()&^asPoller != gateSources || !d.drainLock.TryLock() {
		n, _ = d.take(dst, asPoller)
	} else if len(d.srcs) != 1 || d.gate.Load()&^asPoller != gateSources {
		n, _ = d.takeLocked(dst, asPoller)
	} else {
		// What takeLocked does, without the calls.
		n, _ = d.srcs[0].Drain(dst)
		if d.gate.Load()&gateSet != 0 {
			n, _ = d.updateReadyPolled(dst, n, asPoller)
		}
		if !d.drainLock.Unlock() {
			d.fill()
			d.release()
		}
	}
	if n > 1 {
		d.took()
	}
	return n
}

// Err is the reason why Poll and the channels deliver no events: nil if there are none,
// ErrState while another goroutine waits or a channel runs, ErrClosed after Close, and in a
// [Set] the error of a source that could not be armed. It takes no event and never blocks. It is
// nil, too, while [Provider.SetWaitable] forbids channels, as polls give events then: see State.
func (d *Dispatcher[T]) Err() error {
	if d.gate.Load()&^asPoller&(gateWaiter|gateClosed) == 0 {
		if broken := d.broken.Load(); broken != nil {
			return *broken
		}
		return nil
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.refusal(asPoller)
}

// Dequeue takes the oldest event (uDAPL: dat_evd_dequeue). It never blocks. ErrQueueEmpty if
// there is none, otherwise the error of [Dispatcher.Err].
func (d *Dispatcher[T]) Dequeue() (ev T, err error) {
	err = d.dequeueInto(&ev)
	return ev, err
}

// take moves events to dst: first from the ring, then from the sources.
func (d *Dispatcher[T]) take(dst []T, role uint32) (n int, err error) {
	if d.gate.Load()&^role == 0 {
		d.mu.Lock()
		if d.gate.Load()&^role == 0 {
			n = d.pop(dst)
			if d.listened() {
				d.updateReady(n)
			}
			d.mu.Unlock()
			return n, nil
		}
		d.mu.Unlock()
	}
	if !d.takeTurn(role) {
		return d.takeBesides(dst, role)
	}
	return d.takeLocked(dst, role)
}

// takeLocked is take for a caller that has taken drainLock, which it unlocks.
func (d *Dispatcher[T]) takeLocked(dst []T, role uint32) (n int, err error) {
	if d.gate.Load()&^role == gateSources {
		n = d.drain(dst)
	} else {
		n, err = d.takeQueued(dst, role)
	}
	if err == nil && d.gate.Load()&gateSet != 0 {
		n, err = d.updateReadyPolled(dst, n, role)
	}
	if !d.drainLock.Unlock() {
		d.fill()
		d.release()
	}
	return n, err
}

// turnLooks is how often a poller tries to get the drain lock: most drains end sooner.
const turnLooks = 32

// takeTurn takes the drain lock. A waiter blocks for it. A poller does not, because it may run
// inside the holder's drain: see Source.
func (d *Dispatcher[T]) takeTurn(role uint32) bool {
	if role != asPoller {
		d.drainLock.Lock()
		return true
	}
	for range turnLooks {
		if d.drainLock.TryLock() {
			return true
		}
	}
	return false
}

// takeBesides takes queued events while another goroutine drains the sources. If there are
// none, the dispatcher stays on the list of its set: the caller does not know whether the
// sources hold events, and the holder of drainLock may not arm them.
func (d *Dispatcher[T]) takeBesides(dst []T, role uint32) (n int, err error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if err = d.refusal(role); err != nil {
		return 0, err
	}
	n = d.pop(dst)
	d.updateGate()
	d.markReady()
	return n, nil
}

// drain moves events from the sources directly into dst. The caller holds drainLock.
func (d *Dispatcher[T]) drain(dst []T) (n int) {
	if len(dst) == 0 {
		return 0
	}
	if len(d.srcs) == 1 {
		n, _ = d.srcs[0].Drain(dst)
		return n
	}
	for i := range d.srcs {
		k, _ := d.srcs[(d.first+i)%len(d.srcs)].Drain(dst[n:])
		if n += k; n == len(dst) {
			break
		}
	}
	if d.first++; d.first >= len(d.srcs) {
		d.first = 0
	}
	return n
}

// takeQueued takes queued events and, if dst has more room, events of the sources, through the
// queue. The queue may have room for few of them at a time: whoever gets fewer than dst has room for
// takes the sources for empty. The caller holds drainLock.
func (d *Dispatcher[T]) takeQueued(dst []T, role uint32) (n int, err error) {
	n, err = d.popQueued(dst, role)
	for more := len(d.srcs) > 0; more && n < len(dst) && err == nil; {
		d.fill()
		var k int
		k, err = d.popQueued(dst[n:], role)
		n += k
		more = k > 0 && d.short.Load()
	}
	if n > 0 {
		err = nil
	}
	return n, err
}

func (d *Dispatcher[T]) popQueued(dst []T, role uint32) (n int, err error) {
	d.mu.Lock()
	if err = d.refusal(role); err == nil {
		n = d.pop(dst)
		d.updateGate()
	}
	d.mu.Unlock()
	return n, err
}

// takeFirst takes the oldest event into ev if at least want are there, and
// returns how many are queued then.
func (d *Dispatcher[T]) takeFirst(ev *T, want int, role uint32) (more int, ok bool, err error) {
	d.mu.Lock()
	more, ok, err = d.popFirst(ev, want, role)
	sources, room := len(d.srcs) > 0, d.depth
	d.mu.Unlock()
	if ok || err != nil || !sources {
		return more, ok, err
	}
	if !d.takeTurn(role) {
		d.mu.Lock()
		defer d.mu.Unlock()
		if more, ok, err = d.popFirst(ev, want, role); !ok && err == nil {
			d.markReady() // as takeBesides does
		}
		return more, ok, err
	}
	looked := false
	if want == 1 {
		if more, ok, looked = d.drainFirst(ev, room, role); ok {
			d.release()
			return more, true, nil
		}
	}
	if !looked {
		d.fill()
	}
	d.mu.Lock()
	more, ok, err = d.popFirst(ev, want, role)
	d.mu.Unlock()
	if !ok && err == nil && role != asWaiter && role != asSleeper && d.inSet() {
		if err = d.rearm(); err == nil {
			d.mu.Lock()
			more, ok, err = d.popFirst(ev, want, role)
			d.mu.Unlock()
		}
	}
	d.release()
	return more, ok, err
}

// drainFirst takes the first event directly from the source and queues the others; usually
// there are none, so that the queue is not used. It requires a single source, no set, and an
// empty queue; otherwise it does nothing. The caller holds drainLock.
func (d *Dispatcher[T]) drainFirst(ev *T, room int, role uint32) (more int, ok, looked bool) {
	flag := d.alone.Load()
	if flag != nil {
		role |= gateSet
	} else {
		role &^= gateSet
	}
	if len(d.srcs) != 1 || d.gate.Load()&^role != gateSources {
		return 0, false, false
	}
	if d.scratch == nil {
		d.scratch = make([]T, scratchLen)
	}
	buf := d.scratch[:min(room, scratchLen)]
	n, signalled := d.srcs[0].Drain(buf)
	if n == 0 {
		return 0, false, true
	}
	*ev = buf[0]
	clear(buf[:1])
	if flag != nil && flag.Load() == 0 { // there may be more: see updateReadyPolled
		d.mu.Lock()
		d.setFlag()
		d.mu.Unlock()
	}
	if n == 1 && len(buf) > 1 {
		return 0, true, true
	}
	d.keep(buf[1:n], signalled)
	if n == len(buf) {
		d.fill()
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.queued(), true, true
}

// popFirst is the part of takeFirst that takes from the queue. The caller holds mu.
func (d *Dispatcher[T]) popFirst(ev *T, want int, role uint32) (more int, ok bool, err error) {
	more = d.queued()
	if err = d.refusal(role); err != nil {
		return more, false, err
	}
	if want < 1 || want > d.depth {
		return more, false, d.badThreshold(want)
	}
	if more < want {
		return more, false, nil
	}
	switch {
	case len(d.front) > 0 && d.popFront(ev):
	case d.ring.n > 0:
		d.ring.popOne(ev)
	default:
		return more, false, nil
	}
	if d.watched {
		d.updateGate()
		d.updateReady(1)
	}
	return d.queued(), true, nil
}

// refusal is the error if the caller may not take events now. The caller holds mu.
func (d *Dispatcher[T]) refusal(role uint32) error {
	g := d.gate.Load() &^ role
	switch {
	case g&^(gateSources|gateQueued) == 0:
		return nil
	case g&gateClosed != 0 && role == asPoller:
		return d.fail(ErrClosed, "poll", detailClosed)
	case g&gateClosed != 0:
		return d.fail(ErrClosed, "wait", detailClosed)
	case g&gateWaiter != 0 && role == asPoller:
		return &d.hot.busy
	case g&gateWaiter != 0:
		return d.fail(ErrState, "wait", detailWaiter)
	default:
		return d.fail(ErrState, "wait", detailUnwait)
	}
}
