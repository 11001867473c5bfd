package event

import "sync/atomic"

// attachFlag is [Provider.Flag].
func (d *Dispatcher[T]) attachFlag(flag *atomic.Uint32) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if flag != nil {
		flag.Store(1)
	}
	if d.closed {
		return
	}
	d.flag = flag
	d.updateGate()
}
