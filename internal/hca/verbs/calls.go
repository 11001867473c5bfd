package verbs

import "sync"

// calls counts the calls of the consumer's functions that are running. A lock would not
// do, since one such function may cause the next one to be called inside it.
type calls struct {
	mu     sync.Mutex
	n      int
	closed bool
	idle   chan struct{}
}

// enter asks whether a call may be made; leave follows it.
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
