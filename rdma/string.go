package rdma

import "fmt"

// The objects as logs show them. None of it is stable enough to be taken apart.

// String tells the name.
func (a *Adapter) String() string { return "adapter " + a.name }

// String names the zone as errors do.
func (z *Zone) String() string { return z.memory.String() }

// String tells number, tag and state.
func (e *Endpoint) String() string { return e.object() + ", " + e.State().String() }

// String tells the peer, the tag, the path and the state.
func (c *Conn) String() string {
	return fmt.Sprintf("%s over %s, %v", c.link.object(), c.Path(), c.State())
}

// String names the queue as errors do.
func (q *CompletionQueue) String() string { return q.object() }

// String names the queue as errors do.
func (q *SharedReceiveQueue) String() string { return q.object() }

// String tells the address.
func (l *Listener) String() string { return "listener at " + l.Addr().String() }

// String tells the peer.
func (r *ConnRequest) String() string { return "request of " + r.RemoteAddr().String() }

// String tells operation, cookie, status and, if that is good, the length.
func (c Completion) String() string {
	if c.Status != StatusOK {
		return fmt.Sprintf("%v %d: %v", c.Op, c.Cookie, c.Status)
	}
	return fmt.Sprintf("%v %d: %v, %d bytes", c.Op, c.Cookie, c.Status, c.Length)
}
