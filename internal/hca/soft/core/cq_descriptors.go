package core

import "github.com/godapl/godapl/internal/hca"

// ArmDescriptors implements hca.DescriptorArmer. The thread owns the park, so that a goroutine cannot park at the
// same connections.
func (c *CQ) ArmDescriptors(fds []int32) ([]int32, error) {
	c.Elsewhere()
	p := c.conns.Load()
	if p != nil && p.Few() && (c.fdsArmed || c.park.AcquirePark()) { // with more, a poll does not reach each of them
		c.fdsArmed = true
		for _, tc := range p.All {
			if x, ok := tc.(Parkable); ok {
				if fd := x.Park(c, nil); fd >= 0 {
					fds = append(fds, int32(fd))
				}
			}
		}
	} else {
		c.unparkAll() // of an earlier call, before there were so many
	}
	return fds, c.Arm()
}

// DisarmDescriptors implements hca.DescriptorArmer.
func (c *CQ) DisarmDescriptors(others bool) {
	c.noWaiter.Store(!others)
	c.unparkAll()
}

// unparkAll takes the connections back from the thread, if it has parked some.
func (c *CQ) unparkAll() {
	if !c.fdsArmed {
		return
	}
	if p := c.conns.Load(); p != nil {
		for _, tc := range p.All {
			if x, ok := tc.(Parkable); ok {
				x.Unpark(c)
			}
		}
	}
	c.fdsArmed = false
	c.park.ReleasePark()
}

var _ hca.DescriptorArmer = (*CQ)(nil)
