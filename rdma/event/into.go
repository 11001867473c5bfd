package event

import "time"

// WaitTimeoutInto is WaitTimeout that puts the event into *first.
func (d *Dispatcher[T]) WaitTimeoutInto(first *T, timeout time.Duration, threshold int) (more int, err error) {
	if first == nil {
		return 0, d.fail(ErrInvalid, "wait", "there is no room for the event: first is nil")
	}
	return d.waitFirst(first, threshold, noContext, timeout)
}
