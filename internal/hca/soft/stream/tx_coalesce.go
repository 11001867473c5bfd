package stream

import (
	"github.com/godapl/godapl/internal/hca"
	"github.com/godapl/godapl/internal/hca/soft/core"
)

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
	coalesceNone = iota // nothing waits
	coalesceSome        // requests wait
	coalesceLate        // the watch has seen them wait
)

const (
	coalesceMost  = 64  // so many wait at most
	immediateMost = 512 // so many are written at once after some have waited too long
)

// coalesce tells whether the youngest request may wait. The caller is inside tx.
func (c *Conn) coalesce() bool {
	q := c.q
	last := q.SQ.At(q.SQ.Tail - 1)
	waiting := q.SQ.Tail - q.SQ.Next
	switch {
	case q.State.Load() != core.StateReady:
		return false
	case c.blocked.Load():
		return true // whoever waits for the stream goes on with it
	case !q.Attended():
		return false
	case waiting >= coalesceMost, last.Total > smallMax, last.WR.Op == hca.OpBind:
		c.coalesced.Store(coalesceNone)
		return false
	case waiting > 1 && c.coalesced.Load() != coalesceNone:
		return q.Attended() // see below
	}
	look := q.SendCQ.PollCount.Load() + q.RecvCQ.PollCount.Load()
	if look != c.look {
		c.look = look
		return false
	}
	if shy := c.immediateLeft.Load(); shy > 0 {
		c.immediateLeft.Store(shy - 1)
		return false
	}
	if c.crowded() {
		return false
	}
	c.coalesced.Store(coalesceSome)
	c.a.Background.Watch(c)
	// Who arms says so first and then looks for what waits.
	return q.Attended()
}

// uncoalesce tells whether requests have waited, which the caller lets out by
// running tx.
func (c *Conn) uncoalesce() bool {
	return c.coalesced.Load() != coalesceNone && c.coalesced.Swap(coalesceNone) != coalesceNone
}

// coalesceRound is a round of the watch. It tells whether requests wait.
func (c *Conn) coalesceRound() bool {
	switch c.coalesced.Load() {
	case coalesceNone:
		return false
	case coalesceSome:
		c.coalesced.CompareAndSwap(coalesceSome, coalesceLate)
	case coalesceLate:
		c.immediateLeft.Store(immediateMost)
		c.Schedule()
	}
	return true
}
