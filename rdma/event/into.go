package event

import "time"

// DequeueInto is Dequeue that puts the event into *ev, for events that are large.
// Without one, *ev is as it was.
func (d *Dispatcher[T]) DequeueInto(ev *T) error {
	_, ok, err := d.takeFirst(ev, 1, asPoller)
	if err == nil && !ok {
		err = &d.hot.empty
	}
	return err
}

// WaitTimeoutInto is WaitTimeout that puts the event into *first.
func (d *Dispatcher[T]) WaitTimeoutInto(first *T, timeout time.Duration, threshold int) (more int, err error) {
	return d.waitFirst(first, threshold, noContext, timeout)
}
