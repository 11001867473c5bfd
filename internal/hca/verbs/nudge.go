package verbs

import "time"

// nudgeTimes are the times at which a peer that may have missed the first message is
// sent something more: siw answers a connect before it listens for data, and notices
// the missed message when more data comes.
var nudgeTimes = [...]time.Duration{20 * time.Millisecond, 80 * time.Millisecond, 300 * time.Millisecond}

// quietTime bounds how long the accepting side sends nothing while it has not heard
// from its peer: siw fails a connect whose answer arrives together with other data.
const quietTime = 20 * time.Millisecond

// earlyConn runs in the first moments of a connection with siw, on a goroutine that the
// adapter's Close waits for.
func (q *qp) earlyConn() {
	if q.passive {
		if passes(quietTime, q.ended) {
			q.quiet.Store(false)
			q.release()
		}
		return
	}
	for _, wait := range nudgeTimes {
		if !passes(wait, q.ended) || q.heard() {
			return
		}
		q.nudge()
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

// waitHeard is called before a graceful end: a peer that has missed the first messages
// would lose them.
func (q *qp) waitHeard() {
	if !q.ad.siw || q.passive || q.heard() {
		return
	}
	if wait := quietTime - time.Since(q.since); wait > 0 && passes(wait, q.abrupt) {
		q.nudge()
	}
}

// heard reports that a message of the peer has arrived. Messages in shared receives are
// not counted.
func (q *qp) heard() bool { return q.srq == nil && q.recv.done.Load() > 0 }

// nudge sends a write of no bytes, which no program notices, after the requests so far.
func (q *qp) nudge() {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.state <= draining && q.send.given.Load() > 0 && q.send.internal.Load() == 0 && len(q.backlog) == 0 {
		q.postProbe()
	}
}
