package verbs

import "time"

// nudgeTimes are the times at which a peer that may have missed the first message is
// sent something more: siw answers a connect before it listens for data, and notices
// the missed message when more data comes. A peer that has sent something listens, but
// does not know what it missed before.
var nudgeTimes = [...]time.Duration{20 * time.Millisecond, 80 * time.Millisecond, 300 * time.Millisecond}

// quietTime bounds how long the accepting side sends nothing while no message of its
// peer has arrived: siw fails a connect whose answer arrives together with other data.
const quietTime = 20 * time.Millisecond

// earlyConn runs at the beginning of a connection with siw, on a goroutine
// that the adapter's Close waits for.
func (q *qp) earlyConn() {
	if q.passive {
		if passes(quietTime, q.ended) {
			q.quiet.Store(false)
			q.release()
		}
		return
	}
	nudges(q.ended, q.heard, q.nudge)
}

// nudges calls nudge until the peer was heard, and once more then.
func nudges(stop <-chan struct{}, heard func() bool, nudge func()) {
	for _, wait := range nudgeTimes {
		if !passes(wait, stop) {
			return
		}
		listens := heard()
		nudge()
		if listens {
			return
		}
	}
}

// passes waits, and reports whether the time has passed before stop was closed.
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
	if !q.ad.siw || q.passive {
		return
	}
	wait := quietTime - time.Since(q.since)
	if wait > 0 && (q.heard() || passes(wait, q.abrupt)) {
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
