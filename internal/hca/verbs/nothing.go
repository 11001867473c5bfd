package verbs

import (
	"github.com/godapl/godapl/internal/hca/verbs/ibv"
)

// nothing is a region to bind windows of type 1 to when they are to cover
// nothing: verbs says that no region will do, but there are drivers (rxe's of
// rdma-core 44) that look into the region all the same.
type nothing struct {
	mem *ibv.Array[byte]
	h   ibv.MR
}

// nothing gives the domain's, which is made when first needed.
func (p *pd) nothing() (ibv.MR, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.none.h != 0 {
		return p.none.h, nil
	}
	mem, err := ibv.NewArray[byte](64)
	if err != nil {
		return 0, err
	}
	h, e := p.ad.lib.RegMR(p.h, mem.Addr(0), len(mem.S), ibv.AccessMWBind)
	if e != 0 {
		mem.Free()
		return 0, explainRegister(p.ad.attr.Name, len(mem.S), e)
	}
	p.none = nothing{mem, h}
	return h, nil
}

// freeNothing is called when no window of the domain is left.
func (p *pd) freeNothing() {
	if p.none.h == 0 {
		return
	}
	if e := p.ad.lib.DeregMR(p.none.h); e != 0 {
		p.ad.logf("a region could not be freed", "error", e)
		return
	}
	p.none.mem.Free()
	p.none = nothing{}
}
