package event

// Stats is what a dispatcher has done so far.
type Stats struct {
	Queued int // events that wait for a consumer now; those of its sources do not count
	Cap    int // how many fit
	High   int // the largest number that has waited
	// Waits counts waits that found nothing at first, and Wakes how often an event that was put into
	// the dispatcher ended a wait. Sources wake by themselves: see rdma.QueueStats.
	Waits, Wakes uint64
	Lost         uint64 // a provider's events that found it full
}

// Stats returns the counters. It takes the dispatcher's lock for a moment, drives no progress, and may be
// called from anywhere, also after Close (uDAPL: dat_evd_query has the state and the size only).
func (d *Dispatcher[T]) Stats() Stats {
	d.mu.Lock()
	defer d.mu.Unlock()
	return Stats{Queued: d.queued(), Cap: d.depth, High: d.ring.high, Waits: d.waits, Wakes: d.wakes, Lost: d.lost}
}
