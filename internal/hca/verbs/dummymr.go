package verbs

import (
	"github.com/godapl/godapl/internal/hca/verbs/ibv"
)

// dummyMR is a region for unbinding windows of type 1. Verbs does not require a region
// there, but some drivers (rxe of rdma-core 44) read it.
type dummyMR struct {
	mem *ibv.Array[byte]
	h   ibv.MR
}

// dummyMR returns the domain's region, and creates it when it is first needed.
func (p *pd) dummyMR() (ibv.MR, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.dummy.h != 0 {
		return p.dummy.h, nil
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
	p.dummy = dummyMR{mem, h}
	return h, nil
}

// freeDummyMR is called when the domain has no windows left.
func (p *pd) freeDummyMR() {
	if p.dummy.h == 0 {
		return
	}
	if e := p.ad.lib.DeregMR(p.dummy.h); e != 0 {
		p.ad.logf("a region could not be freed", "error", e)
		return
	}
	p.dummy.mem.Free()
	p.dummy = dummyMR{}
}
