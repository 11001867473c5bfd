package sharedmem

import "github.com/godapl/godapl/internal/hca/soft/sharedmem/neighbour"

// watch has somebody watch the connection's descriptors.
func (c *Conn) watch(s neighbour.Socket) error {
	if sim := c.p.simulation; sim != nil {
		sim.Watch(c, s)
		return nil
	}
	return c.watchFDs()
}

// unwatch undoes watch. It does not wait.
func (c *Conn) unwatch() {
	if sim := c.p.simulation; sim != nil {
		sim.Unwatch(c)
		return
	}
	c.unwatchFDs()
}

// stirred tells a simulation that a descriptor of the peer may have become readable.
func (c *Conn) stirred() {
	if sim := c.p.simulation; sim != nil {
		sim.Stirred()
	}
}
