package dat

import (
	"runtime"

	"github.com/godapl/godapl/rdma"
	"github.com/godapl/godapl/rdma/event"
)

// settle makes events of the completions that are there, which takes their cookies out of the places. It
// returns false if d has no room for all. Without a dispatcher there is nothing to settle.
func (d *evd) settle() bool {
	return d == nil || settle(d.d, d.cq)
}

// settleRequests is settle for the dispatcher of requests, or for the queue of those without one: a bind
// dispatcher's completions come by way of it.
func (a *ia) settleRequests(request *evd) bool {
	if request != nil {
		return request.settle()
	}
	a.mu.Lock()
	dr := a.drain
	a.mu.Unlock()
	return dr == nil || settle(dr.d, dr.q)
}

func settle(d *event.Dispatcher[record], q *rdma.CompletionQueue) bool {
	for range 8 { // others may arrive meanwhile
		for !feed(d).Pump() { // another goroutine moves completions
			runtime.Gosched()
		}
		if !q.Ready() {
			return true
		}
	}
	return false
}
