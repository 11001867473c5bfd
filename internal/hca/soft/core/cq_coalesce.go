package core

import (
	"sync/atomic"

	"github.com/godapl/godapl/internal/hca/soft/conns"
	"github.com/godapl/godapl/internal/hca/soft/progress"
)

// A Coalescer is a connection whose requests may wait, to be sent together: until the consumer's next poll, or as
// long as its queue has a backlog.
type Coalescer interface {
	// SendCoalesced sends what waits. The caller is inside no gate and holds no lock.
	SendCoalesced()
	// Waits is that of progress.Pollable.
	Waits() bool
}

// coalescing lists the connections of a completion queue that have requests waiting. A poll of a queue with many
// connections reaches only a few of them, so it looks here for the others.
type coalescing struct {
	progress.PollState
	conns.Notes[Coalescer]
	cq     *CQ
	soon   atomic.Bool       // the next poll or arming sends the list, also with a backlog
	behind progress.KeptBack // posts with a backlog since the list was sent
}

// NoteCoalesced notes that g has requests waiting: the consumer's next poll or arming sends them, or the watch has
// them sent when they have waited for too long. noted belongs to g and this queue: it is set as long as g is
// listed. The caller may be inside gates.
func (c *CQ) NoteCoalesced(g Coalescer, noted *atomic.Bool) {
	c.coalescing.Add(g, noted)
	c.coalescing.soon.Store(true) // after g is listed: sendCoalesced clears it, and then drains the list
	c.adapter.Background.Watch(&c.coalescing)
}

// look is a look of the consumer: it sends what waits for that. What waits behind a backlog is sent if the consumer
// has nothing before it. The caller is the consumer, and inside no gate. arming is a look that found nothing.
func (c *CQ) look(arming bool) {
	w := &c.coalescing
	if w.Some() && (w.soon.Load() || (arming || c.empty()) && !c.backlog()) {
		c.sendCoalesced()
	}
}

// Push implements hca.Pusher. The caller is inside no gate.
func (c *CQ) Push() {
	if c.coalescing.Some() && !c.backlog() {
		c.sendCoalesced()
	}
}

// sendCoalesced sends what waits. The caller is inside no gate.
func (c *CQ) sendCoalesced() {
	w := &c.coalescing
	w.soon.Store(false)
	w.behind.Reset()
	w.Drain(Coalescer.SendCoalesced)
}

// Waits, Arm, Steady and Rearm implement progress.Pollable. A connection whose requests were sent through its
// other queue stays listed, and does not wait.
func (w *coalescing) Waits() (waits bool) {
	w.Each(func(g Coalescer) { waits = g.Waits() || waits })
	return waits
}

func (w *coalescing) Arm()    {}
func (w *coalescing) Steady() {}

// Rearm checks once more: requests may have arrived since the last check of the watch, when the queue was still
// watched.
func (w *coalescing) Rearm() {
	if w.Waits() {
		w.cq.adapter.Background.Watch(w)
	}
}
