package rdma

import (
	"sync"
	"sync/atomic"
)

// line delivers ESTABLISHED before the first completion of a link, if both go to one
// dispatcher. Until that event has been delivered, completions are queued here. One completion
// queue of the dispatcher, the carrier, delivers the line. When the line is empty, completions
// bypass it.
type line struct {
	// settled is set when the line is empty for good.
	settled atomic.Bool
	sink    *Sink[ConnEvent]
	carrier *CompletionQueue // nil if there is no order to keep

	mu    sync.Mutex
	items []lineItem
}

// lineItem is a completion, or ESTABLISHED.
type lineItem struct {
	c           Completion
	sink        *Sink[ConnEvent]
	established *ConnEvent
}

// init chooses the carrier.
func (n *line) init(sink *Sink[ConnEvent], queues ...*CompletionQueue) {
	if sink != nil && sink.place != nil {
		for _, q := range queues {
			if q != nil && q.place == sink.place {
				n.sink, n.carrier = sink, q
				return
			}
		}
	}
	n.settled.Store(true)
}

// hold queues a completion of q. It reports false if the completion may bypass the line.
func (n *line) hold(q *CompletionQueue, c *Completion) bool {
	if n.settled.Load() {
		return false
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.settled.Load() || q.place != n.carrier.place {
		return false
	}
	n.items = append(n.items, lineItem{c: *c})
	return true
}

// established puts the event at the front and starts delivery. It reports false if the event
// must be delivered directly.
func (n *line) established(ev *ConnEvent) bool {
	if n.carrier == nil {
		return false
	}
	n.mu.Lock()
	n.items = append([]lineItem{{sink: n.sink, established: ev}}, n.items...)
	n.mu.Unlock()
	n.release()
	return true
}

// release starts delivery without the event.
func (n *line) release() {
	if n.settled.Load() {
		return
	}
	n.carrier.lineUp(n)
	n.carrier.wake()
}

// pop takes the first item.
func (n *line) pop(to *lineItem) bool {
	n.mu.Lock()
	defer n.mu.Unlock()
	if len(n.items) == 0 {
		n.settled.Store(true)
		return false
	}
	*to = n.items[0]
	n.items = n.items[1:]
	if len(n.items) == 0 {
		n.items = nil
		n.settled.Store(true)
	}
	return true
}
