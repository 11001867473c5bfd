package vipl

import (
	"errors"

	"github.com/godapl/godapl/rdma"
	"github.com/godapl/godapl/rdma/event"
)

// WithoutReads makes a NIC one that has no RDMA reads.
func WithoutReads(h NICHandle) { getNIC(h).attr.MaxReadsIn = 0 }

// Drained takes what has come to the receive queue of a VI, as the end of an attempt to connect
// does, and reports whether anything is left that wakes a goroutine that waits.
func Drained(h VIHandle) bool {
	q := &getVI(h).recv
	q.drain()
	return q.own.Poll(q.got[:]) > 0
}

// Stale queues, before what the send queue has, an empty completion and that of the oldest descriptor's place in an earlier
// attempt to connect.
func Stale(h VIHandle) error {
	q := &getVI(h).send
	cookie := q.at(q.head).cookie - 1<<placeBits
	return errors.Join(q.own.Post(rdma.Completion{}), q.own.Post(rdma.Completion{Cookie: cookie, Op: rdma.OpWrite}))
}

// Keeps tells whether the queues of a VI keep a region that they have used.
func Keeps(h VIHandle) bool {
	v := getVI(h)
	for _, q := range [...]*workQueue{&v.send, &v.recv} {
		if q.around != &noRegion || q.within != &noRegion || q.write.From.Region() != nil {
			return true
		}
	}
	return false
}

// Gathered is Drained for a completion queue, and for what Done of one of its queues takes.
func Gathered(h CQHandle) bool {
	c := getCQ(h)
	c.gather()
	var r record
	return event.ProviderOf(c.d).DequeueInto(&r) == nil
}

// Waits counts the calls that wait for a request, at listeners that are open.
func Waits(h NICHandle) (waits int) {
	d := &getNIC(h).doors
	d.opening.Lock()
	defer d.opening.Unlock()
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, x := range d.open {
		waits += len(x.waiters)
	}
	return waits
}

// AdapterOf is the name of the adapter of a NIC.
func AdapterOf(h NICHandle) string { return getNIC(h).attr.Name }

// WhenTaken has f called when a waiter has taken a completion, and has not noted it yet.
func WhenTaken(f func()) (end func()) {
	taken = f
	return func() { taken = nil }
}

// WhenSleeping has f called when a waiter has found nothing and is about to sleep, twice: full tells that others know
// of it.
func WhenSleeping(f func(full bool)) (end func()) {
	sleeps = f
	return func() { sleeps = nil }
}

// Idle reports whether a VI is idle, also while a call has it locked.
func Idle(h VIHandle) bool { return VIState(getVI(h).state.Load()) == StateIdle }

// Sleeps reports whether somebody waits for a native completion of the receive queue.
func Sleeps(h VIHandle) bool {
	q := &getVI(h).recv
	if q.cq != nil {
		q.cq.mu.Lock()
		defer q.cq.mu.Unlock()
		return q.cq.hand.full
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.hand.full
}
