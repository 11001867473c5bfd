package event

import "github.com/godapl/godapl/internal/wait"

// sentry is what a [Source] may be besides: one that can tell when a drain is of no use.
type sentry interface {
	// Nothing reports that a drain would find no event now, and that a drain is not needed to
	// notice the next one: Arm is enough. It is called with no lock held, also during a drain,
	// and possibly after Detach.
	Nothing() bool
	// Steady reports that a wait always begins with a burst of drains. It is called as Nothing is.
	Steady() bool
	// Crowd counts the sleepers that share the processors with this one. It is called as Nothing is.
	Crowd() *wait.Crowd
}

// parked is what a [Source] may be besides: one with a place where the waiter parks.
type parked interface {
	// Parker returns the place; nil if there is none.
	Parker() wait.Parker
}

// findSentry finds the sentry and the parker of the only source, and the pushers of all. The caller
// holds mu.
func (d *Dispatcher[T]) findSentry() {
	d.findPushers()
	d.sentry, d.parker = nil, nil
	if len(d.srcs) == 1 {
		d.sentry, _ = d.srcs[0].(sentry)
		if p, ok := d.srcs[0].(parked); ok {
			d.parker = p.Parker()
		}
	}
	if d.node.set != nil {
		d.node.set.parks.forget()
	}
}

// bursts sets what the source says of bursts.
func (d *Dispatcher[T]) bursts(o *wait.Options) {
	o.Burst = int(d.burst.Load())
	d.mu.Lock()
	s := d.sentry
	d.mu.Unlock()
	if s != nil {
		o.Steady, o.Crowd = s.Steady(), s.Crowd()
		o.Eager = int(d.eager.Load())
	}
}

// nothingNow reports that a wait may begin with arming, because a look before that would only
// cost time. What arrives meanwhile is found by the look after it.
func (d *Dispatcher[T]) nothingNow() bool {
	if d.gate.Load()&gateSources == 0 {
		return false
	}
	d.mu.Lock()
	s := d.sentry
	if d.queued() > 0 {
		s = nil
	}
	d.mu.Unlock()
	return s != nil && s.Nothing()
}

// forgetContext gives up the context of the last wait. A wait that is about to end does that itself.
func (d *Dispatcher[T]) forgetContext() {
	d.mu.Lock()
	defer d.mu.Unlock()
	if !d.waiting {
		d.cell.Forget()
	}
}
