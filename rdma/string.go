package rdma

import "fmt"

// The objects as logs show them. None of it is stable enough to be taken apart.

// String returns the name.
func (a *Adapter) String() string { return "adapter " + a.name }

// String returns the zone's name, as errors show it.
func (z *Zone) String() string { return z.memory.String() }

// String returns the number, the tag and the state.
func (e *Endpoint) String() string { return e.object() + ", " + e.State().String() }

// String returns the peer, the tag, the path and the state.
func (c *Conn) String() string {
	return fmt.Sprintf("%s over %s, %v", c.session.object(), c.Path(), c.State())
}

// String returns the queue's name, as errors show it.
func (q *CompletionQueue) String() string { return q.object() }

// String returns the queue's name, as errors show it.
func (q *SharedReceiveQueue) String() string { return q.object() }

// String returns the address.
func (l *Listener) String() string { return "listener at " + l.Addr().String() }

// String returns the peer.
func (r *ConnRequest) String() string { return "request of " + r.RemoteAddr().String() }

// String returns the operation, the cookie, the status and, after success, the length.
func (c Completion) String() string {
	if c.Status != StatusOK {
		return fmt.Sprintf("%v %d: %v", c.Op, c.Cookie, c.Status)
	}
	return fmt.Sprintf("%v %d: %v, %d bytes", c.Op, c.Cookie, c.Status, c.Length)
}
