package vipl

import "github.com/godapl/godapl/compat/internal/table"

// The tables of all objects, one per kind.
var (
	nics  = table.Handles[uint64, nic]{Kind: 0}
	vis   = table.Handles[uint64, vi]{Kind: 1}
	cqs   = table.Handles[uint64, cq]{Kind: 2}
	tags  = table.Handles[uint64, ptag]{Kind: 3}
	conns = table.Handles[uint64, request]{Kind: 4}
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
