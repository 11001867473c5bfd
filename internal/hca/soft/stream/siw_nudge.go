package stream

import (
	"time"

	"github.com/godapl/godapl/internal/hca/soft/core"
)

// After Linux's siw accepts a connection, it may miss the first frame if that arrives too early, and continues
// only when further bytes arrive. An initiator that has nothing more to send would wait for ever. So as long as
// the peer has not sent anything, the greeting is sent again, a few times: a Write of length zero has no
// effect.

const (
	nudgeFirst = 100 * time.Millisecond
	nudgeLast  = 2 * time.Second
)

// beginNudge starts the timer of the nudges when the connection is made.
func (c *Conn) beginNudge() {
	if !c.mid.greets {
		return
	}
	c.mid.mu.Lock()
	defer c.mid.mu.Unlock()
	wait := nudgeFirst
	c.mid.nudger = time.AfterFunc(wait, func() {
		if wait *= 4; c.nudge(wait) {
			c.RunSend()
		}
	})
}

// nudge requests another greeting if it is still needed.
func (c *Conn) nudge(wait time.Duration) bool {
	c.mid.mu.Lock()
	defer c.mid.mu.Unlock()
	if c.peer.Load() != peerUnknown || c.q.State.Load() != core.StateReady {
		return false
	}
	c.mid.hello.Store(true)
	if wait < nudgeLast {
		c.mid.nudger.Reset(wait)
	}
	return true
}

// beginSilence starts the timer after which a responder may send first, if it is configured to do so.
func (c *Conn) beginSilence() {
	c.mid.mu.Lock()
	defer c.mid.mu.Unlock()
	if c.mid.silence > 0 && !c.talk.Load() {
		c.mid.nudger = time.AfterFunc(c.mid.silence, func() {
			if c.q.State.Load() == core.StateReady {
				c.talk.Store(true)
				c.RunSend()
			}
		})
	}
}

// endNudge stops the timer when the connection is over.
func (c *Conn) endNudge() {
	c.mid.mu.Lock()
	defer c.mid.mu.Unlock()
	if c.mid.nudger != nil {
		c.mid.nudger.Stop()
	}
}
