package soft

import "github.com/godapl/godapl/internal/hca"

// A system call for each small request would cost more than everything else
// about it. So the first after a look of the consumer's is written at once, since
// it may be all there is, and those behind it wait for each other: until there are
// many, or until the consumer has taken all there was and looks for more. It
// writes them then itself.
//
// Only a consumer that is there is waited for. One that arms its queue lets out
// what waits, and the watch does with what has waited from one of its rounds to
// the next: that consumer does something else meanwhile, and the connection writes
// at once for some time.

// How far a connection has got with that.
const (
	gatherNone = iota // nothing waits
	gatherSome        // requests wait
	gatherLate        // the watch has seen them wait
)

const (
	gatherMost = 64  // so many wait at most
	gatherShy  = 512 // so many are written at once after some have waited too long
)

// gather tells whether the youngest request may wait. The caller is inside tx.
func (c *tcpConn) gather() bool {
	q := c.q
	last := q.sq.at(q.sq.tail - 1)
	waiting := q.sq.tail - q.sq.next
	switch {
	case q.state.Load() != stReady:
		return false
	case c.blocked.Load():
		return true // whoever waits for the stream goes on with it
	case !q.attended():
		return false
	case waiting >= gatherMost, last.total > smallMax, last.wr.Op == hca.OpBind:
		c.gathered.Store(gatherNone)
		return false
	case waiting > 1 && c.gathered.Load() != gatherNone:
		return q.attended() // see below
	}
	look := q.scq.looks.Load() + q.rcq.looks.Load()
	if look != c.look {
		c.look = look
		return false
	}
	if shy := c.shy.Load(); shy > 0 {
		c.shy.Store(shy - 1)
		return false
	}
	if c.crowded() {
		return false
	}
	c.gathered.Store(gatherSome)
	c.a.bg.watch(c)
	// Who arms says so first and then looks for what waits.
	return q.attended()
}

// ungather tells whether requests have waited, which the caller lets out by
// running tx.
func (c *tcpConn) ungather() bool {
	return c.gathered.Load() != gatherNone && c.gathered.Swap(gatherNone) != gatherNone
}

// gatherRound is a round of the watch. It tells whether requests wait.
func (c *tcpConn) gatherRound() bool {
	switch c.gathered.Load() {
	case gatherNone:
		return false
	case gatherSome:
		c.gathered.CompareAndSwap(gatherSome, gatherLate)
	case gatherLate:
		c.shy.Store(gatherShy)
		c.schedule()
	}
	return true
}
