package mem

import "github.com/godapl/godapl/internal/hca"

// Adopt is rdma.Zone.Adopt.
func (d *domain) Adopt(r *Region, rights Rights) (*Region, error) {
	const op = "adopt"
	if r == nil {
		return nil, hca.NewError(hca.Invalid, op, "in "+d.String(), "there is no region")
	}
	if err := checkRights(rights); err != nil {
		return nil, hca.Named(err, op, r.name())
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.live.Load() == 0 || !r.memory.retain() {
		return nil, r.closed(op)
	}
	a, ok := d.pd.(hca.Adopter)
	if !ok {
		r.memory.release()
		return nil, hca.NewError(hca.Unsupported, op, r.name(), "the adapter cannot move a region to another zone; register the memory again")
	}
	mr, err := a.Adopt(r.mr, r.memory.describe(), hca.Access(rights))
	if err != nil {
		r.memory.release()
		return nil, hca.Named(err, op, r.name()+" in "+d.String())
	}
	adopted, err := d.enter(mr, r.memory, rights)
	r.retire()
	if err != nil {
		return nil, hca.Named(err, op, r.name()+" in "+d.String())
	}
	return adopted, nil
}
