package stream

import (
	"time"

	"github.com/godapl/godapl/internal/hca/soft/core"
)

// After Linux's siw accepts a connection, it may miss the first frame if that arrives too early, and continues
// only when further bytes arrive. An initiator that has nothing more to send would wait for ever. So as long as
// the peer has not sent anything, the greeting is sent again, a few times: a Write of length zero has no
// effect. A peer that has sent something notices what arrives from then on, but not what it missed before, so it
// gets one more.

const (
	nudgeFirst = 100 * time.Millisecond
	nudgeLast  = 2 * time.Second
)

// beginNudge starts the timer of the nudges when the connection is made.
func (c *Conn) beginNudge() {
	if !c.shared.greeting {
		return
	}
	c.shared.mu.Lock()
	defer c.shared.mu.Unlock()
	wait := nudgeFirst
	c.shared.nudger = time.AfterFunc(wait, func() {
		if wait *= 4; c.nudge(wait) {
			c.RunSend()
		}
	})
}

// nudge requests another greeting if it is still needed.
func (c *Conn) nudge(wait time.Duration) bool {
	c.shared.mu.Lock()
	defer c.shared.mu.Unlock()
	peer := c.peer.Load()
	if peer == peerGodapl || c.q.State.Load() != core.StateReady {
		return false
	}
	c.shared.hello.Store(true)
	if peer == peerUnknown && wait < nudgeLast {
		c.shared.nudger.Reset(wait)
	}
	return true
}

// beginSilence starts the timer after which a responder may send first, if it is configured to do so.
func (c *Conn) beginSilence() {
	c.shared.mu.Lock()
	defer c.shared.mu.Unlock()
	if c.shared.silence > 0 && !c.maySend.Load() {
		c.shared.nudger = time.AfterFunc(c.shared.silence, func() {
			if c.q.State.Load() == core.StateReady {
				c.maySend.Store(true)
				c.RunSend()
			}
		})
	}
}

// endNudge stops the timer when the connection is over.
func (c *Conn) endNudge() {
	c.shared.mu.Lock()
	defer c.shared.mu.Unlock()
	if c.shared.nudger != nil {
		c.shared.nudger.Stop()
	}
}
