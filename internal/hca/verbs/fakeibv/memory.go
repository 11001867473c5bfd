package fakeibv

import (
	"github.com/godapl/godapl/internal/hca/verbs/ibv"
	"github.com/godapl/godapl/internal/pages"
)

// pd is a protection domain. users counts all that belongs to it.
type pd struct {
	dev   *device
	h     ibv.PD
	users int
}

// mr is registered memory.
type mr struct {
	pd        *pd
	h         ibv.MR
	addr, end uint64
	access    ibv.Access
	windows   int
}

// mw is a memory window.
type mw struct {
	pd        *pd
	h         ibv.MW
	kind      ibv.MWType
	key       uint32 // with which a peer uses it
	mr        *mr    // nil: not bound
	qp        *qp    // of a window of type 2
	addr, end uint64
	access    ibv.Access
}

func (w *World) memoryCalls() map[string]function {
	return map[string]function{
		"ibv_alloc_pd": func(a args) (uintptr, ibv.Errno) {
			d := w.deviceOf(ibv.Context(a[0]))
			p := &pd{dev: d, h: ibv.NewPD(d.ctx)}
			return uintptr(keep(w, p.h, p)), 0
		},
		"ibv_dealloc_pd": func(a args) (uintptr, ibv.Errno) {
			p := object[pd](w, a[0], "ibv_dealloc_pd")
			switch {
			case p == nil:
				return num(ibv.EINVAL)
			case p.users > 0:
				return num(ibv.EBUSY)
			}
			drop(w, p.h)
			return 0, 0
		},
		"ibv_reg_mr": func(a args) (uintptr, ibv.Errno) {
			p := object[pd](w, a[0], "ibv_reg_mr")
			access := ibv.Access(a[3])
			switch {
			case p == nil || a[2] == 0:
				return 0, ibv.EINVAL
			case access&(ibv.AccessRemoteWrite|ibv.AccessRemoteAtomic) != 0 && access&ibv.AccessLocalWrite == 0:
				return 0, ibv.EINVAL
			case !w.pinned(a[1], a[2], access):
				return 0, ibv.EFAULT
			}
			m := &mr{pd: p, addr: uint64(a[1]), end: uint64(a[1] + a[2]), access: access}
			key := w.newKey()
			m.h = ibv.NewMR(p.h, a[1], a[2], key)
			w.keys[key] = m
			p.users++
			return uintptr(keep(w, m.h, m)), 0
		},
		"ibv_dereg_mr": func(a args) (uintptr, ibv.Errno) {
			m := object[mr](w, a[0], "ibv_dereg_mr")
			switch {
			case m == nil:
				return num(ibv.EINVAL)
			case m.windows > 0:
				return num(ibv.EBUSY)
			}
			delete(w.keys, m.h.RKey())
			m.pd.users--
			drop(w, m.h)
			return 0, 0
		},
	}
}

// pinned reports whether the pages allow what the device would do. As the kernel does, it
// wants to write wherever windows may be bound.
func (w *World) pinned(addr, n uintptr, access ibv.Access) bool {
	need := pages.Read
	if access&(ibv.AccessLocalWrite|ibv.AccessMWBind) != 0 {
		need |= pages.Write
	}
	return w.pages.Check(ibv.View[byte](addr, int(n)), need) == nil
}

// newKey gives a key: a number that the device chooses, and eight bits of the owner.
func (w *World) newKey() uint32 {
	w.nextKey++
	return w.nextKey<<8 | uint32(w.rng.IntN(256))
}

func (w *World) allocMW(a args) (uintptr, ibv.Errno) {
	p := object[pd](w, a[0], "ibv_alloc_mw")
	if p == nil {
		return 0, ibv.EINVAL
	}
	m := &mw{pd: p, kind: ibv.MWType(a[1]), key: w.newKey()}
	m.h = ibv.NewMW(p.h, m.kind, m.key)
	w.keys[m.key] = m
	p.users++
	return uintptr(keep(w, m.h, m)), 0
}

func (w *World) deallocMW(a args) (uintptr, ibv.Errno) {
	m := object[mw](w, a[0], "ibv_dealloc_mw")
	if m == nil {
		return num(ibv.EINVAL)
	}
	m.unbind()
	delete(w.keys, m.key)
	m.pd.users--
	drop(w, m.h)
	m.h = 0
	return 0, 0
}

func (m *mw) unbind() {
	if m.mr != nil {
		m.mr.windows--
	}
	if m.qp != nil {
		m.qp.windows--
	}
	m.mr, m.qp = nil, nil
}

// local finds memory of this side by an entry of a list.
func (w *World) local(p *pd, g ibv.SGE, need ibv.Access) bool {
	m, ok := w.keys[g.LKey].(*mr)
	return ok && m.pd == p && m.access&need == need && g.Addr >= m.addr && g.Addr <= m.end && uint64(g.Length) <= m.end-g.Addr
}

// remote reports whether a peer may use memory through queue pair q.
func (w *World) remote(q *qp, key uint32, addr uint64, n uint64, need ibv.Access) bool {
	switch m := w.keys[key].(type) {
	case *mr:
		return m.pd == q.pd && m.access&need == need && inside(addr, n, m.addr, m.end)
	case *mw:
		return m.mr != nil && m.pd == q.pd && (m.kind == ibv.MWType1 || m.qp == q) && m.access&need == need &&
			inside(addr, n, m.addr, m.end)
	}
	return false
}

func inside(addr, n, from, to uint64) bool { return addr >= from && addr <= to && n <= to-addr }
