package vipl

import "github.com/godapl/godapl/compat/internal/table"

// The tables of all objects, one per kind.
var (
	nics  = table.NewHandles[uint64, nic](0)
	vis   = table.NewHandles[uint64, vi](1)
	cqs   = table.NewHandles[uint64, cq](2)
	tags  = table.NewHandles[uint64, ptag](3)
	conns = table.NewHandles[uint64, request](4)
)

func getNIC(h NICHandle) *nic { return nics.Get(uint64(h)) }

func getVI(h VIHandle) *vi { return vis.Get(uint64(h)) }

func getCQ(h CQHandle) *cq { return cqs.Get(uint64(h)) }

// tag is a protection tag of the NIC, or nil. The null handle is the default one.
func (n *nic) tag(h ProtectionHandle) *ptag {
	if h == 0 {
		return n.ownTag
	}
	if t := tags.Get(uint64(h)); t != nil && t.nic == n {
		return t
	}
	return nil
}
