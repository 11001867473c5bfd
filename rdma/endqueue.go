package rdma

import "sync"

// endQueue makes the reports of the ends of endpoints with a shared receive queue one after the other. A sink may
// forward such an end to a second place, as uDAPL does, and the order must be the same in both. No lock is held meanwhile:
// a sink may end other connections, and a dispatcher that takes a report polls its queues, in which another
// connection may have ended. That end is reported behind the first.
type endQueue struct {
	mu      sync.Mutex
	waiting []func()
	running bool // somebody makes the reports
}

// report makes a report, or leaves it to the goroutine that makes them.
func (q *endQueue) report(f func()) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.waiting = append(q.waiting, f)
	if q.running {
		return
	}
	q.running = true
	for len(q.waiting) > 0 {
		f, q.waiting = q.waiting[0], q.waiting[1:]
		q.mu.Unlock()
		f()
		q.mu.Lock()
	}
	q.waiting, q.running = nil, false
}
