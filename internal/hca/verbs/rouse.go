package verbs

import "time"

// rouseTimes are when a peer that may not have noticed the first message gets
// something more: siw answers a connect before it listens for what follows the
// answer, and goes on as soon as anything else comes.
var rouseTimes = [...]time.Duration{20 * time.Millisecond, 80 * time.Millisecond, 300 * time.Millisecond}

// quietTime is how long the side that accepted says nothing unless it has heard from
// its peer: siw fails a connect whose answer comes together with anything else.
const quietTime = 20 * time.Millisecond

// young runs on a goroutine that the adapter's Close waits for, as long as the
// connection is young.
func (q *qp) young() {
	if q.passive {
		if passes(quietTime, q.ended) {
			q.mum.Store(false)
			q.release()
		}
		return
	}
	for _, wait := range rouseTimes {
		if !passes(wait, q.ended) || q.heard() {
			return
		}
		q.rouse()
	}
}

// passes waits, and tells whether the time passed before stop.
func passes(wait time.Duration, stop <-chan struct{}) bool {
	timer := time.NewTimer(wait)
	defer timer.Stop()
	select {
	case <-stop:
		return false
	case <-timer.C:
		return true
	}
}

// grow is called before a graceful end: a peer that has not noticed the first
// messages yet would not get them any more.
func (q *qp) grow() {
	if !q.ad.siw || q.passive || q.heard() {
		return
	}
	if wait := quietTime - time.Since(q.since); wait > 0 && passes(wait, q.abrupt) {
		q.rouse()
	}
}

// heard tells that a message of the peer has come. Those in shared receives count
// for nobody here.
func (q *qp) heard() bool { return q.srq == nil && q.recv.done.Load() > 0 }

// rouse sends a write of no bytes, which no program notices, behind what was sent.
func (q *qp) rouse() {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.state <= draining && q.send.given.Load() > 0 && q.send.internal.Load() == 0 && len(q.backlog) == 0 {
		q.postProbe()
	}
}
