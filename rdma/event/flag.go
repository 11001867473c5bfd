package event

import "sync/atomic"

// Flag has *flag tell, without a call, whether polling is worth while: 0 says that
// it would have found nothing, anything else that it may find something. It is for
// those to whom a call is dear, such as C that calls Go. It starts at 1; a poll
// that finds nothing takes it down, after it has had the sources call for what
// comes; an arrival puts it up, and so does Close, for good.
//
// Quiet events inside a source put no flag up, as they wake nobody: who must have
// those in time polls now and then all the same. The flag may be up with nothing
// there. *flag is written by the dispatcher alone, until Close or another Flag;
// nil takes it away. A set, waits and polls are not concerned.
func (d *Dispatcher[T]) Flag(flag *atomic.Uint32) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if flag != nil {
		flag.Store(1)
	}
	if d.closed {
		return
	}
	d.flag = flag
	d.regate()
}
