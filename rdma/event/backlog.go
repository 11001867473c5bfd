package event

import "github.com/godapl/godapl/internal/fence"

// A program that answers each event of a channel posts one request after the other. As long as the
// channel holds more for it, a source may keep the requests back and send them together. It asks
// for that with [Provider.Backlog], and learns from push that the program looks for more and
// nothing is left.

// pusher is what a [Source] may be besides: one that keeps requests back during a backlog.
type pusher interface {
	// Push sends what is kept back, unless there is a backlog again. It is called with no lock held,
	// on the program's goroutine, and possibly after Detach. It must not block.
	Push()
}

// backlog is [Provider.Backlog].
func (d *Dispatcher[T]) backlog(several bool) bool {
	f := d.face.Load()
	switch {
	case f == nil:
		return several && d.atWork.Load() != 0
	case len(f.events) > 0 || f.hand.Load() > 0 || len(f.batches) > 0 || f.atWork():
		return true
	}
	return d.forwards() && d.gate.Load()&gateQueued != 0
}

// forwards is [Provider.Forwards]. Events below a threshold are not delivered, perhaps before the program's
// requests are answered.
func (d *Dispatcher[T]) forwards() bool {
	f := d.face.Load()
	return f != nil && f.cfg.Threshold <= 1
}

// looks notes that the program looks for events: it is done with those of its last look.
func (d *Dispatcher[T]) looks() {
	if d.atWork.Load() != 0 {
		fence.StoreRelease(&d.atWork, 0) // a lock is taken before a source is asked: that is the full fence
	}
}

// took notes that the program has taken several events at once, or has left some in the queue. It will look again
// when it is done with them.
func (d *Dispatcher[T]) took() { fence.StoreRelease(&d.atWork, 1) }

// atWork reports whether the program has a batch with several events, which it will release. A program that
// releases none has more of them than are kept for reuse.
func (f *face[T]) atWork() bool {
	n := f.out.Load()
	return n > 0 && n <= recycled
}

// push tells the sources that the program looks for more events. While more are on their way to the
// channel, they do nothing.
func (d *Dispatcher[T]) push() {
	if list := d.pushers.Load(); list != nil {
		for _, p := range *list {
			p.Push()
		}
	}
}

// findPushers finds the pushers of the sources. The caller holds mu.
func (d *Dispatcher[T]) findPushers() {
	var list []pusher
	for _, src := range d.srcs {
		if p, ok := src.(pusher); ok {
			list = append(list, p)
		}
	}
	if list == nil {
		d.pushers.Store(nil)
		return
	}
	d.pushers.Store(&list)
}
