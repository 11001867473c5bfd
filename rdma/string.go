package rdma

import "fmt"

// The objects as logs show them. None of it is stable enough to be taken apart.

// String tells the name.
func (a *Adapter) String() string { return "adapter " + a.name }

// String names the zone as errors do.
func (z *Zone) String() string { return z.domain.String() }

// String tells the state.
func (e *Endpoint) String() string { return "endpoint, " + e.State().String() }

// String tells the peer and the path.
func (c *Conn) String() string {
	return fmt.Sprintf("connection to %s over %s, %v", c.RemoteAddr(), c.Path(), c.State())
}

// String tells the address.
func (l *Listener) String() string { return "listener at " + l.Addr() }

// String tells the peer.
func (r *Request) String() string { return "request of " + r.RemoteAddr() }

// String tells operation, cookie, status and, if that is good, the length.
func (c Completion) String() string {
	if c.Status != StatusOK {
		return fmt.Sprintf("%v %d: %v", c.Op, c.Cookie, c.Status)
	}
	return fmt.Sprintf("%v %d: %v, %d bytes", c.Op, c.Cookie, c.Status, c.Length)
}
