package rdma

import (
	"sync"
	"sync/atomic"
)

// line keeps the completions of a link behind its ESTABLISHED, where both go to
// one dispatcher. Until that event has been handed out, completions line up
// here. One completion queue of the dispatcher, the carrier, hands out the line;
// when it is empty, completions take the direct way.
type line struct {
	// settled is set when the line is empty and stays so.
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

// hold puts a completion that came out of q into the line. It tells whether it
// did: if not, the completion may pass.
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

// established puts the event in front and lets the line move. It tells whether
// it did: if not, the event goes its own way.
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

// release lets the line move, whatever is in it.
func (n *line) release() {
	if n.settled.Load() {
		return
	}
	n.carrier.lineUp(n)
	n.carrier.wake()
}

// pop takes the first of the line.
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
