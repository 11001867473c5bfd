package rsocket

import (
	"fmt"

	"github.com/godapl/godapl/rdma"
)

// describe is the rdma.Endpoint.Describe of a stream's connection.
func (c *Conn) describe() (d rdma.Description) {
	if !c.mu.TryLock() {
		return d
	}
	defer c.mu.Unlock()
	used, most := c.tx.Used()
	d.State = fmt.Sprintf("rsocket: %d of %d messages that the peer has not read, room for %d bytes in the next one", used, most, c.tx.Room())
	switch {
	case !c.sides.Waits(&c.sides.Out):
	case c.quiet:
		d.Waits = "a Write waits for the first bytes of the peer"
	case c.tx.Room() == 0:
		d.Waits = "a Write waits for the peer's program to read"
	}
	return d
}
