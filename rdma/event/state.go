package event

import "strings"

// State is a set of flags that describe a dispatcher (uDAPL: DAT_EVD_STATE). A new dispatcher
// is Enabled and Waitable.
type State uint8

const (
	// Enabled: arrivals trigger the set.
	Enabled State = 1 << iota
	// Waitable: waits and channels are allowed.
	Waitable
	// Waiting: a goroutine waits, or a channel runs.
	Waiting
	// Channel: a channel runs.
	Channel
	// InSet: it belongs to a set.
	InSet
	// Closed: it has been closed.
	Closed
)

var stateNames = [...]string{"enabled", "waitable", "waiting", "channel", "in a set", "closed"}

// String returns the names of the flags, joined with ", ".
func (s State) String() string {
	var names []string
	for i, name := range stateNames {
		if s&(1<<i) != 0 {
			names = append(names, name)
		}
	}
	return strings.Join(names, ", ")
}

// State is the present state (uDAPL: dat_evd_query).
func (d *Dispatcher[T]) State() (s State) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for i, is := range [...]bool{
		!d.disabled, !d.unwait, d.waiting, d.face.Load() != nil, d.node.set != nil, d.closed,
	} {
		if is {
			s |= 1 << i
		}
	}
	return s
}

// Len is the number of queued events. Events in sources and in a channel do not count.
func (d *Dispatcher[T]) Len() int {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.queued()
}

// Cap is the number of events that can be queued (uDAPL: evd_qlen).
func (d *Dispatcher[T]) Cap() int {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.depth
}

// enable is [Provider.Enable].
func (d *Dispatcher[T]) enable() {
	d.mu.Lock()
	d.disabled = false
	if d.queued() > 0 {
		d.markReady()
	}
	d.mu.Unlock()
	d.watch()
}

// disable is [Provider.Disable].
func (d *Dispatcher[T]) disable() {
	d.mu.Lock()
	d.disabled = true
	d.delist()
	d.mu.Unlock()
}

// setWaitable is [Provider.SetWaitable].
func (d *Dispatcher[T]) setWaitable(ok bool) {
	d.mu.Lock()
	d.unwait = !ok
	// The waiter may look only when waiting is allowed again.
	d.ousted = d.ousted || !ok && d.waiting
	d.updateGate()
	d.mu.Unlock()
	if !ok {
		d.wakeWaiter()
		d.StopChan()
	}
}

// Resize changes how many events can be queued (uDAPL: dat_evd_resize). No event is lost, and
// the order stays. ErrState if more than depth events are queued or somebody waits, ErrInvalid
// if depth is less than 1, ErrClosed after Close.
func (d *Dispatcher[T]) Resize(depth int) error {
	if depth < 1 {
		return d.fail(ErrInvalid, "resize", "the depth must be at least 1")
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	switch {
	case d.closed:
		return d.fail(ErrClosed, "resize", detailClosed)
	case d.waiting:
		return d.fail(ErrState, "resize", detailWaiter)
	case d.queued() > depth:
		return d.fail(ErrState, "resize", "more events are queued than that: take some first")
	}
	d.depth = depth
	if len(d.ring.buf) > depth {
		d.ring.resize(depth)
	}
	d.updatePushLimit()
	if s := d.node.set; s != nil {
		s.resized()
	}
	return nil
}

// Close ends the dispatcher (uDAPL: dat_evd_free). A wait returns ErrClosed, channels are
// closed, queued events are dropped, and the dispatcher leaves its set. Close returns after a
// channel's goroutine has ended. Sources stay attached, and what they deliver later is dropped:
// detach them first if they must not be called any more. Closing twice is harmless.
func (d *Dispatcher[T]) Close() error {
	d.mu.Lock()
	if !d.closed {
		d.closed = true
		d.ring, d.after, d.front = ring[T]{high: d.ring.high}, nil, nil
		d.updatePushLimit()
		d.leaveLocked(true)
		d.setFlag()
		d.flag = nil
		d.updateGate()
	}
	d.mu.Unlock()
	d.wakeWaiter()
	d.StopChan()
	d.forgetContext()
	return nil
}
