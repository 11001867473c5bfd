package sharedmem

import "github.com/godapl/godapl/internal/hca/soft/sharedmem/neighbour"

// hello describes this side and its queue pair.
func (c *Conn) hello(kind uint8, private []byte) *neighbour.Hello {
	h := &neighbour.Hello{Kind: kind, Barrier: barrier(), Sees: c.peer.vm, Zone: c.q.PD.ID, Conn: c.number, Refuses: c.q.Config.Refuse, Private: private}
	h.Probe, h.Secret = ownSecret()
	h.Group, h.Slot, h.Own = c.group.Here()
	h.Reads.In, h.Reads.Out = c.q.Config.ReadsIn, c.q.Config.ReadsOut
	return h
}
