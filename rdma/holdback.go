package rdma

import (
	"sync"
	"sync/atomic"
)

// holdback delivers ESTABLISHED before the first completion of a session, if both go to one
// dispatcher. Until that event has been delivered, completions are queued here. One completion
// queue of the dispatcher, the carrier, delivers the items. When there are no more, completions
// bypass the holdback.
type holdback struct {
	// bypassed is set when the holdback is empty for good.
	bypassed atomic.Bool
	sink     *Sink[ConnEvent]
	carrier  *CompletionQueue // nil if there is no order to keep

	mu    sync.Mutex
	items []heldItem
}

// heldItem is a completion, or ESTABLISHED.
type heldItem struct {
	c           Completion
	sink        *Sink[ConnEvent]
	established *ConnEvent
}

// init chooses the carrier.
func (h *holdback) init(sink *Sink[ConnEvent], queues ...*CompletionQueue) {
	if sink != nil && sink.place != nil {
		for _, q := range queues {
			if q != nil && q.place == sink.place {
				h.sink, h.carrier = sink, q
				return
			}
		}
	}
	h.bypassed.Store(true)
}

// hold queues a completion of q. It reports false if the completion may bypass the holdback.
func (h *holdback) hold(q *CompletionQueue, c *Completion) bool {
	if h.bypassed.Load() {
		return false
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.bypassed.Load() || q.place != h.carrier.place {
		return false
	}
	h.items = append(h.items, heldItem{c: *c})
	return true
}

// established puts the event at the front and starts delivery. It reports false if the event
// must be delivered directly.
func (h *holdback) established(ev *ConnEvent) bool {
	if h.carrier == nil {
		return false
	}
	h.mu.Lock()
	h.items = append([]heldItem{{sink: h.sink, established: ev}}, h.items...)
	h.mu.Unlock()
	h.release()
	return true
}

// release starts delivery without the event.
func (h *holdback) release() {
	if h.bypassed.Load() {
		return
	}
	h.carrier.addHoldback(h)
	h.carrier.wake()
}

// pop takes the first item.
func (h *holdback) pop(to *heldItem) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	if len(h.items) == 0 {
		h.bypassed.Store(true)
		return false
	}
	*to = h.items[0]
	h.items = h.items[1:]
	if len(h.items) == 0 {
		h.items = nil
		h.bypassed.Store(true)
	}
	return true
}
