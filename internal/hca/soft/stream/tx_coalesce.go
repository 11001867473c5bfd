package stream

import (
	"github.com/godapl/godapl/internal/hca"
	"github.com/godapl/godapl/internal/hca/soft/core"
)

// Write coalescing. A system call for each small request would cost more than everything else about it. So the
// first request after a poll of the consumer is written at once, because it may be the only one, and later ones
// wait: until there are coalesceMost, or until the consumer polls an empty queue. That poll writes them.
//
// Requests wait only while the consumer polls. Arming the queue writes them. The poll watch writes what has
// waited for a whole interval: the consumer is then busy with something else, and the connection writes its
// next requests at once for some time.

// The state of the coalescing.
const (
	coalesceNone = iota // nothing waits
	coalesceSome        // requests wait
	coalesceLate        // the watch has seen them wait
)

const (
	coalesceMost  = 64  // requests that wait at most
	immediateMost = 512 // requests that are written at once after some have waited too long
)

// coalesce reports whether the youngest request may wait. The caller is inside tx.
func (c *Conn) coalesce() bool {
	q := c.q
	last := q.SQ.At(q.SQ.Tail - 1)
	waiting := q.SQ.Tail - q.SQ.Next
	switch {
	case q.State.Load() != core.StateReady:
		return false
	case c.blocked.Load():
		return true // the goroutine that waits for the stream continues with it
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
	// A consumer that arms says so first, and then checks for waiting requests.
	return q.Attended()
}

// uncoalesce reports whether requests have waited; the caller then runs the send half, which writes them.
func (c *Conn) uncoalesce() bool {
	return c.coalesced.Load() != coalesceNone && c.coalesced.Swap(coalesceNone) != coalesceNone
}

// coalesceRound is one round of the watch. It reports whether requests wait.
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
