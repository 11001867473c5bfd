package rdma

import (
	"strings"

	"github.com/godapl/godapl/internal/hca"
)

// object is an object that was created from an adapter and that Close must end.
type object interface {
	kind() string
	// end is an abrupt Close, even if other objects still use the object.
	end()
}

const (
	kindListener        = "listener"
	kindEndpoint        = "endpoint"
	kindInbox           = "inbox"
	kindSharedReceive   = "shared receive queue"
	kindCompletionQueue = "completion queue"
	kindZone            = "zone"
)

// census lists the remaining objects by kind. The caller holds a.mu.
func (a *Adapter) census() string {
	count := map[string]int{}
	for o := range a.objects {
		count[o.kind()]++
	}
	var parts []string
	for _, kind := range [...]string{kindListener, kindEndpoint, kindInbox, kindSharedReceive, kindCompletionQueue, kindZone} {
		if n := count[kind]; n > 0 {
			parts = append(parts, hca.Count(n, kind))
		}
	}
	return strings.Join(parts, ", ")
}

// add registers an object. If it fails because the adapter is closed, the caller must release
// the object.
func (a *Adapter) add(op string, o object) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.closed {
		return a.closedError(op)
	}
	a.made++
	a.objects[o] = a.made
	return nil
}

func (a *Adapter) closedError(op string) error {
	return hca.NewError(hca.Closed, op, "", a.String()+" has been closed")
}

func (a *Adapter) remove(o object) {
	a.mu.Lock()
	defer a.mu.Unlock()
	delete(a.objects, o)
}

// queue and shared look up the object of an asynchronous error.
func (a *Adapter) queue(cq hca.CQ) *CompletionQueue {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.queues[cq]
}

func (a *Adapter) shared(srq hca.SRQ) *SharedReceiveQueue {
	a.mu.Lock()
	defer a.mu.Unlock()
	for o := range a.objects {
		if q, ok := o.(*SharedReceiveQueue); ok && q.srq == srq {
			return q
		}
	}
	return nil
}

// enter and leave maintain the adapter's list of completion queues.
func (a *Adapter) enter(q *CompletionQueue) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.made++
	q.made = a.made
	a.queues[q.cq] = q
}

func (a *Adapter) leave(q *CompletionQueue) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.queues[q.cq] == q {
		delete(a.queues, q.cq)
		last := q.Stats()
		last.Depth, last.Waiting = 0, 0
		a.past.queues.add(last)
	}
}
