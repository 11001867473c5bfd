package event

import "time"

// WaitTimeoutInto is WaitTimeout that puts the event into *first.
func (d *Dispatcher[T]) WaitTimeoutInto(first *T, timeout time.Duration, threshold int) (more int, err error) {
	return d.waitFirst(first, threshold, noContext, timeout)
}
