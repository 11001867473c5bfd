package verbs

import "time"

// awaitCompletions waits until done returns true, stop is closed, or limit has passed
// (0: no limit). Completions wake it, also when the consumer does not poll.
func (q *qp) awaitCompletions(stop <-chan struct{}, limit time.Duration, done func() bool) {
	q.waits.Store(true)
	defer q.waits.Store(false)
	queues := [...]*cq{q.scq, q.rcq}
	for _, c := range queues {
		c.mu.Lock()
		c.waiting++
		c.ad.cqEvents.sleepers(true)
		if !c.closed {
			c.arm()
			c.pull() // look again
		}
		c.finish()
	}
	defer func() {
		for _, c := range queues {
			c.mu.Lock()
			c.waiting--
			c.ad.cqEvents.sleepers(false)
			c.mu.Unlock()
		}
	}()
	var over <-chan time.Time
	if limit > 0 {
		timer := time.NewTimer(limit)
		defer timer.Stop()
		over = timer.C
	}
	for !done() || q.deferredWork.Load() > 0 { // in this order
		select {
		case <-q.progress:
		case <-stop:
			return
		case <-over:
			return
		}
	}
}

// progressed wakes awaitCompletions and looks after suppressed requests. Called with a
// completion queue's mu held.
func (q *qp) progressed(c *cq) {
	if q.send.unreported() {
		c.later(q, (*qp).probe)
	}
	if q.waiting.Load() {
		c.later(q, (*qp).release)
	}
	q.wakeAwaiting()
}

// wakeAwaiting makes awaitCompletions check again.
func (q *qp) wakeAwaiting() {
	if q.waits.Load() {
		select {
		case q.progress <- struct{}{}:
		default: // it will
		}
	}
}

func (q *qp) sendDone() bool { return q.send.done.Load() == q.send.given.Load() }

// drained also counts requests that wait behind a fence.
func (q *qp) drained() bool { return q.send.done.Load() == q.send.head.Load() }

func (q *qp) allDone() bool {
	return q.sendDone() && q.recv.done.Load() == q.recv.given.Load() && q.sharedDone()
}

// sharedDone reports that the completions of all shared receives that the queue pair has
// taken are in the device's queue. The device says so in an event. iWARP devices and older rxe
// have no such event, and are not waited for.
func (q *qp) sharedDone() bool {
	return q.srq == nil || q.ad.iwarp || q.ad.rxe || q.lastTaken.Load()
}
