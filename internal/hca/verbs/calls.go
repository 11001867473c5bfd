package verbs

import "sync"

// calls counts running callbacks into the consumer. It is not a lock, because a
// callback may cause another one inside it.
type calls struct {
	mu     sync.Mutex
	n      int
	closed bool
	idle   chan struct{}
}

// enter reports whether a call may be made, and counts it; leave ends it.
func (c *calls) enter() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed {
		return false
	}
	c.n++
	return true
}

func (c *calls) leave() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.n--; c.n == 0 && c.idle != nil {
		close(c.idle)
		c.idle = nil
	}
}

// close allows no more calls and waits for those under way.
func (c *calls) close() {
	c.mu.Lock()
	c.closed = true
	var idle chan struct{}
	if c.n > 0 {
		if c.idle == nil {
			c.idle = make(chan struct{})
		}
		idle = c.idle
	}
	c.mu.Unlock()
	if idle != nil {
		<-idle
	}
}
