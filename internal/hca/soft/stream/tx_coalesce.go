package stream

import (
	"github.com/godapl/godapl/internal/hca"
	"github.com/godapl/godapl/internal/hca/soft/core"
)

// Write coalescing: a system call for each small request would cost more than the rest of its processing. So the
// first request after a poll of the consumer is written at once, because it may be the only one, and later ones
// wait: until there are coalesceMost, or until the consumer polls an empty queue. That poll writes them. A poll of
// a queue with many connections reaches only a few of them. So the queue lists those that wait, and each of its
// polls and armings writes what waits on all of them.
//
// A program that takes completions from a channel does not poll. There requests wait as long as the channel holds
// more for it: see core/backlog.go. But a request that a call waits for is written at once, with all that waits before
// it: the program takes nothing more until then.
//
// Requests wait only while the consumer polls, or has a backlog. Arming the queue writes them. The poll watch writes what has
// waited for a whole interval: the consumer is then busy with something else, or has lost its processor, and the
// connection writes its next requests at once for some time: a short time at first, because on a busy machine a
// processor is lost often, and twice as long each time that it happens again.

// The state of the coalescing.
const (
	coalesceNone   = iota // nothing waits
	coalesceSome          // requests wait for the consumer's next poll
	coalesceBehind        // requests wait until there is no backlog
	coalesceLate          // the watch has seen them wait
)

const (
	coalesceMost   = 64  // requests that wait at most
	immediateLeast = 8   // requests that are written at once after some have waited too long
	immediateMost  = 512 // the same when that has happened often
)

// MayWait implements sendhalf.Path.
func (c *Conn) MayWait() bool {
	q := c.q
	last := q.SQ.At(q.SQ.Tail - 1)
	waiting := q.SQ.Tail - q.SQ.Next
	switch {
	case q.State.Load() != core.StateReady:
		return false
	case c.blocked.Load():
		return true // the goroutine that waits for the stream continues with it
	}
	behind := q.Behind()
	switch {
	case !behind && !q.Attended():
		q.PushOthers(&c.After)
		return false
	case waiting >= coalesceMost, last.Total > smallMax, last.WR.Op == hca.OpBind:
		c.coalesced.Store(coalesceNone)
		return false
	case behind && last.WR.Flags&hca.Private != 0:
		q.PushOthers(&c.After)
		c.coalesced.Store(coalesceNone)
		return false
	case behind:
		return c.waitBehind()
	case waiting > 1 && c.polledFor():
		return q.Attended() // see below
	}
	polls := q.SendCQ.PollCount.Load() + q.RecvCQ.PollCount.Load()
	if polls != c.lastPolls {
		c.lastPolls = polls
		return false
	}
	if c.atOnce() {
		return false
	}
	c.coalesced.Store(coalesceSome)
	if c.crowded() {
		c.noteCoalesced()
	} else {
		c.a.Background.Watch(c)
	}
	// A consumer that arms first marks the queue as armed, and then checks for waiting requests.
	return q.Attended()
}

// waitBehind is MayWait while there is a backlog.
func (c *Conn) waitBehind() bool {
	if c.atOnce() {
		return false
	}
	c.coalesced.CompareAndSwap(coalesceNone, coalesceBehind)
	if c.q.NoteBehind(c, &c.noted) {
		return true
	}
	c.q.PushOthers(&c.After)
	return false
}

// polledFor reports whether requests wait that the consumer's next poll writes.
func (c *Conn) polledFor() bool {
	s := c.coalesced.Load()
	return s == coalesceSome || s == coalesceLate
}

// atOnce counts a request that is written at once, because some have waited for too long.
func (c *Conn) atOnce() bool {
	left := c.immediateLeft.Load()
	if left > 0 {
		c.immediateLeft.Store(left - 1)
	}
	return left > 0
}

// due reports whether requests wait that are to be written now.
func (c *Conn) due() bool {
	switch c.coalesced.Load() {
	case coalesceNone:
		return false
	case coalesceBehind:
		return !c.q.Behind()
	}
	return true
}

// uncoalesce reports whether such requests have waited; the caller then runs the send half, which writes them.
func (c *Conn) uncoalesce() bool {
	return c.due() && c.takeCoalesced()
}

// takeCoalesced takes the note that requests wait, for a caller that then writes them. If they have not waited for
// long, waiting is good for this consumer.
func (c *Conn) takeCoalesced() bool {
	switch c.coalesced.Swap(coalesceNone) {
	case coalesceNone:
		return false
	case coalesceLate:
	default:
		if next := c.immediateNext.Load(); next > immediateLeast {
			c.immediateNext.Store(next / 2)
		}
	}
	return true
}

// coalesceRound is called in each round of the watch, once for each list that the connection is on: its own, and
// those of its queues. It reports whether requests wait.
func (c *Conn) coalesceRound() bool {
	round := uint32(c.a.Background.Round())
	switch s := c.coalesced.Load(); s {
	case coalesceNone:
		return false
	case coalesceSome, coalesceBehind:
		c.lateRound = round
		c.coalesced.CompareAndSwap(s, coalesceLate)
	case coalesceLate:
		if c.lateRound == round {
			break
		}
		c.lateRound = round
		// Also with a backlog: a program that is only slow posts again before that, and a post takes with it
		// what has waited for long.
		next := max(c.immediateNext.Load(), immediateLeast)
		c.immediateLeft.Store(next)
		c.immediateNext.Store(min(2*next, immediateMost))
		c.Schedule()
	}
	return true
}

// noteCoalesced notes at the queues that requests wait, since their polls do not reach this connection soon.
func (c *Conn) noteCoalesced() {
	s, r := c.q.SendCQ, c.q.RecvCQ
	s.NoteCoalesced(c, &c.noted[0])
	if r != s {
		r.NoteCoalesced(c, &c.noted[1])
	}
}

// SendCoalesced implements core.Coalescer.
func (c *Conn) SendCoalesced() {
	if c.coalesced.Load() != coalesceNone && c.takeCoalesced() {
		c.RunSend()
	}
}
