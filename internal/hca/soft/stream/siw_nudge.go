package stream

import (
	"time"

	"github.com/godapl/godapl/internal/hca/soft/core"
)

// Linux's siw, when it has accepted, may not notice what comes before it is ready
// to be told, and goes on as soon as anything more comes. An initiator that has
// said all it has to say would wait for ever. So as long as the peer has not sent
// anything, a greeting goes out once more, a few times: nobody takes notice of a
// Write of length zero.

const (
	nudgeFirst = 100 * time.Millisecond
	nudgeLast  = 2 * time.Second
)

// beginNudge is called when the connection is made.
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

// nudge greets once more if there is reason to.
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

// beginSilence is called when the connection is made. A responder may be told to
// begin itself if the initiator does not.
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

// endNudge is called when the connection is over.
func (c *Conn) endNudge() {
	c.mid.mu.Lock()
	defer c.mid.mu.Unlock()
	if c.mid.nudger != nil {
		c.mid.nudger.Stop()
	}
}
