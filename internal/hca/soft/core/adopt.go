package core

import (
	"fmt"

	"github.com/godapl/godapl/internal/hca"
	"github.com/godapl/godapl/internal/hca/soft/rawmem"
)

// Adopt implements hca.Adopter. The key becomes a hidden one: the detaching of memory is noted at the former region.
func (p *PD) Adopt(from hca.MR, mem hca.Memory, access hca.Access) (hca.MR, error) {
	const op = "move"
	a := p.Adapter
	old, ok := from.(*MR)
	if !ok || old.PD.Adapter != a {
		return nil, hca.NewError(hca.Invalid, op, "region", "it is of another adapter")
	}
	if access&^hca.AllAccess != 0 {
		return nil, hca.NewError(hca.Invalid, op, "region", fmt.Sprintf("unknown rights %#x", uint8(access&^hca.AllAccess)))
	}
	if err := rawmem.CheckRights(&a.pages, op, mem, access); err != nil {
		return nil, err
	}
	if err := p.hold(op); err != nil {
		return nil, err
	}
	m := &MR{PD: p, Own: mem.Own, access: access}
	m.mu.Lock() // an adapter that is closed meanwhile closes it afterwards
	defer m.mu.Unlock()
	old.mu.Lock()
	var err error
	switch {
	case old.dead:
		err = hca.NewError(hca.Closed, op, "region", "the region has been freed")
	case old.windows > 0:
		err = hca.NewError(hca.InUse, op, "region", hca.CountIs(old.windows, "window")+" bound to it: unbind or free that first")
	default:
		err = a.Track(op, m)
	}
	if err != nil {
		old.mu.Unlock()
		p.drop()
		return nil, err
	}
	if a.Keys.Observer != nil {
		m.Observed = a.Keys.Observer.Registered(m, mem)
	}
	g := *old.Entry
	g.Access, g.Hidden, g.PD, g.MR = access, true, p, m
	m.Entry = &g
	old.dead = true
	a.Keys.replace(m.Entry)
	old.mu.Unlock() // a goroutine inside a gate may wait for it: see bind
	old.PD.evict(old.Entry.Bytes)
	old.PD.quiesce(old.Entry)
	if a.Keys.Observer != nil {
		a.Keys.Observer.Released(old)
	}
	a.Untrack(old)
	old.PD.drop()
	return m, nil
}
