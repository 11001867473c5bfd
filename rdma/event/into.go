package event

import "time"

// waitTimeoutInto is [Provider.WaitTimeoutInto].
func (d *Dispatcher[T]) waitTimeoutInto(first *T, timeout time.Duration, threshold int) (more int, err error) {
	if first == nil {
		return 0, d.fail(ErrInvalid, "wait", "there is no room for the event: first is nil")
	}
	return d.waitFirst(first, threshold, noContext, timeout)
}
