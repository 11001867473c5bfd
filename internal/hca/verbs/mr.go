package verbs

import (
	"github.com/godapl/godapl/internal/hca"
	"github.com/godapl/godapl/internal/hca/verbs/ibv"
)

// mr is a registered region. The device has pinned its pages; the registrar
// keeps them mapped until Close has returned.
type mr struct {
	pd     *pd
	h      ibv.MR
	mem    hca.Memory // keeps the memory alive
	addr   uint64
	size   int
	lkey   hca.Key
	rkey   hca.Key
	access hca.Access
	// windows may be bound to it: not to memory that is mapped for reading only.
	windows bool
	closed  bool // guarded by pd.mu
}

// verbsAccess translates rights. The device requires local write wherever a peer may
// write. Every region gets the right to bind windows if it can have it.
func (a *adapter) verbsAccess(access hca.Access) ibv.Access {
	v := remoteAccess(access)
	if access&(hca.LocalWrite|hca.RemoteWrite|hca.RemoteAtomic) != 0 {
		v |= ibv.AccessLocalWrite
	}
	if a.attr.Caps&hca.CapAtomics == 0 {
		// The device has no atomics, so the right is meaningless. It is dropped, so
		// that a caller can request all rights.
		v &^= ibv.AccessRemoteAtomic
	}
	if a.attr.Caps&(hca.CapZoneWindows|hca.CapEndpointWindows) != 0 {
		v |= ibv.AccessMWBind
	}
	return v
}

// remoteAccess translates what is granted to peers.
func remoteAccess(a hca.Access) ibv.Access {
	var v ibv.Access
	if a&hca.RemoteRead != 0 {
		v |= ibv.AccessRemoteRead
	}
	if a&hca.RemoteWrite != 0 {
		v |= ibv.AccessRemoteWrite
	}
	if a&hca.RemoteAtomic != 0 {
		v |= ibv.AccessRemoteAtomic
	}
	return v
}

func (p *pd) Register(mem hca.Memory, access hca.Access) (hca.MR, error) {
	const op = "Register"
	a := p.ad
	switch {
	case len(mem.Bytes) == 0:
		return nil, hca.NewError(hca.Invalid, op, "memory", "there is no byte to register")
	case access&^hca.AllAccess != 0:
		return nil, hca.NewError(hca.Invalid, op, access.String(), "there are no such rights")
	case a.attr.MaxRegion > 0 && uint64(len(mem.Bytes)) > a.attr.MaxRegion:
		return nil, hca.NewError(hca.Resources, op, "memory", "it is longer than the device's longest region")
	}
	if err := a.begin(op); err != nil {
		return nil, err
	}
	defer a.calls.leave()
	if err := p.join(op); err != nil { // pinning takes a while, so not with the lock
		return nil, err
	}
	defer p.leave()
	addr := ibv.AddressOf(mem.Bytes)
	rights := a.verbsAccess(access)
	h, e := a.lib.RegMR(p.h, addr, len(mem.Bytes), rights)
	if e == ibv.EFAULT && rights&ibv.AccessMWBind != 0 && rights&ibv.AccessLocalWrite == 0 {
		// The kernel wants to write wherever windows may be bound.
		rights &^= ibv.AccessMWBind
		h, e = a.lib.RegMR(p.h, addr, len(mem.Bytes), rights)
	}
	if e != 0 {
		return nil, explainRegister(a.attr.Name, len(mem.Bytes), e)
	}
	m := &mr{pd: p, h: h, mem: mem, addr: uint64(addr), size: len(mem.Bytes), lkey: hca.Key(h.LKey()), access: access,
		windows: rights&ibv.AccessMWBind != 0}
	if access&hca.RemoteAll != 0 {
		m.rkey = hca.Key(h.RKey())
	}
	if err := p.open(op); err != nil {
		a.lib.DeregMR(h)
		return nil, err
	}
	defer p.mu.Unlock()
	p.mrs[m] = struct{}{}
	return m, nil
}

func (m *mr) Addr() uint64  { return m.addr }
func (m *mr) Len() int      { return m.size }
func (m *mr) LKey() hca.Key { return m.lkey }
func (m *mr) RKey() hca.Key { return m.rkey }

func (m *mr) Close() error {
	p := m.pd
	p.binding.Lock()
	defer p.binding.Unlock()
	if err := p.open("MR.Close"); err != nil {
		return err
	}
	defer p.mu.Unlock()
	if m.closed {
		return hca.NewError(hca.Closed, "MR.Close", "region", "it has been closed")
	}
	switch e := p.ad.lib.DeregMR(m.h); e {
	case 0:
	case ibv.EBUSY, ibv.EINVAL: // drivers differ in how they say it
		return hca.NewError(hca.InUse, "MR.Close", "region", "a window is bound to it: unbind or close the window first")
	default:
		return explain("MR.Close", "region", e, "")
	}
	m.closed = true
	delete(p.mrs, m)
	return nil
}

func (m *mr) free() {
	if e := m.pd.ad.lib.DeregMR(m.h); e != 0 {
		m.pd.ad.logf("a region could not be freed", "error", e)
	}
}
