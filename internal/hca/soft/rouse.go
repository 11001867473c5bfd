package soft

import "time"

// Linux's siw, when it has accepted, may not notice what comes before it is ready
// to be told, and goes on as soon as anything more comes. An initiator that has
// said all it has to say would wait for ever. So as long as the peer has not sent
// anything, a greeting goes out once more, a few times: nobody takes notice of a
// Write of length zero.

const (
	rouseFirst = 100 * time.Millisecond
	rouseLast  = 2 * time.Second
)

// beginRouse is called when the connection is made.
func (c *tcpConn) beginRouse() {
	if !c.mid.greets {
		return
	}
	c.mid.mu.Lock()
	defer c.mid.mu.Unlock()
	wait := rouseFirst
	c.mid.rouser = time.AfterFunc(wait, func() {
		if wait *= 4; c.rouse(wait) {
			c.runSend()
		}
	})
}

// rouse greets once more if there is reason to.
func (c *tcpConn) rouse(wait time.Duration) bool {
	c.mid.mu.Lock()
	defer c.mid.mu.Unlock()
	if c.peer.Load() != peerUnknown || c.q.state.Load() != stReady {
		return false
	}
	c.mid.hello.Store(true)
	if wait < rouseLast {
		c.mid.rouser.Reset(wait)
	}
	return true
}

// beginSilence is called when the connection is made. A responder may be told to
// begin itself if the initiator does not.
func (c *tcpConn) beginSilence() {
	c.mid.mu.Lock()
	defer c.mid.mu.Unlock()
	if c.mid.silence > 0 && !c.talk.Load() {
		c.mid.rouser = time.AfterFunc(c.mid.silence, func() {
			if c.q.state.Load() == stReady {
				c.talk.Store(true)
				c.runSend()
			}
		})
	}
}

// endRouse is called when the connection is over.
func (c *tcpConn) endRouse() {
	c.mid.mu.Lock()
	defer c.mid.mu.Unlock()
	if c.mid.rouser != nil {
		c.mid.rouser.Stop()
	}
}
