package core

import (
	"fmt"

	"github.com/godapl/godapl/internal/hca"
)

// checkBind checks a bind when it is posted, and reserves its key.
func (q *QP) checkBind(b *hca.Bind) error {
	const op = "post bind"
	if b == nil {
		return hca.NewError(hca.Invalid, op, "window", "the request does not say what to bind")
	}
	w, ok := b.MW.(*mw)
	if !ok || w == nil {
		return hca.NewError(hca.Invalid, op, "window", "the window is not of this adapter")
	}
	if w.pd != q.PD {
		return hca.NewError(hca.Protection, op, "window", "window and endpoint belong to different zones")
	}
	if b.Len == 0 {
		b.Key = 0
		w.last.Store(0)
		return nil
	}
	m, ok := b.MR.(*MR)
	if !ok || m == nil {
		return hca.NewError(hca.Invalid, op, "window", "the region is not of this adapter")
	}
	g, rights := m.Entry, m.rights()
	switch {
	case m.PD != q.PD:
		return hca.NewError(hca.Protection, op, "window", "region and endpoint belong to different zones")
	case b.Addr < g.Addr || b.Len > uint64(len(g.Bytes)) || b.Addr-g.Addr > uint64(len(g.Bytes))-b.Len:
		return hca.NewError(hca.Invalid, op, "window",
			fmt.Sprintf("%d bytes at %#x are not inside the region's %d at %#x", b.Len, b.Addr, len(g.Bytes), g.Addr))
	case b.Access&^hca.AllAccess != 0:
		return hca.NewError(hca.Invalid, op, "window", fmt.Sprintf("unknown rights %#x", uint8(b.Access&^hca.AllAccess)))
	case lacks(rights, b.Access)&hca.LocalRead != 0:
		return hca.NewError(hca.Privileges, op, "window", "remote read needs a region with local read")
	case lacks(rights, b.Access)&hca.LocalWrite != 0:
		return hca.NewError(hca.Privileges, op, "window", "remote write and atomics need a region with local write")
	}
	k, ok := q.PD.Adapter.Keys.reserve()
	if !ok {
		return hca.NewError(hca.Resources, op, "window", "all keys are taken")
	}
	b.Key = k
	w.last.Store(uint32(k))
	return nil
}

// bind carries out a bind in its order. It returns the entry that is no longer valid: the request is complete
// when nobody uses that entry any more.
func (q *QP) bind(b *hca.Bind) (former *KeyEntry, status hca.Status) {
	w := b.MW.(*mw)
	var g *KeyEntry
	if b.Len > 0 {
		m := b.MR.(*MR)
		if !m.bindWindow(b.Access) {
			q.PD.Adapter.Keys.release(b.Key)
			return nil, hca.StatusBindFailed
		}
		off := b.Addr - m.Entry.Addr
		g = w.fresh()
		*g = KeyEntry{
			Key: b.Key, Access: b.Access & hca.RemoteAll, Addr: b.Addr,
			Bytes: m.Entry.Bytes[off : off+b.Len : off+b.Len], Frail: m.Entry.Frail, PD: w.pd, MR: m, MW: w,
		}
		if w.kind == hca.EndpointWindow {
			g.Only = q
		}
	}
	w.mu.Lock()
	if w.dead {
		w.mu.Unlock()
		if g != nil {
			g.MR.unbindWindow()
			q.PD.Adapter.Keys.release(b.Key)
		}
		return nil, hca.StatusBindFailed
	}
	former = w.bound
	w.unbindLocked()
	w.bound = g
	if g != nil {
		w.pd.Adapter.Keys.put(g)
	}
	w.mu.Unlock()
	return former, hca.StatusOK
}

// undoBind makes sure that a bind that is reported as flushed grants nothing. It may have been carried out
// already, behind a request that failed afterwards.
func (r *SendReq) undoBind() {
	b := r.WR.Bind
	w := b.MW.(*mw)
	switch {
	case b.Key == 0:
	case !r.Begun:
		w.pd.Adapter.Keys.release(b.Key)
	default: // the window has the key, or it was released
		w.mu.Lock()
		if w.bound != nil && w.bound.Key == b.Key {
			w.unbindLocked()
		}
		w.mu.Unlock()
	}
}

// bindsOver reports whether no bind that was carried out still waits for an access under its former key.
func (q *QP) bindsOver() bool {
	for i := q.SQ.Head; i != q.SQ.Tail; i++ {
		if r := q.SQ.At(i); r.Begun && r.WR.Op == hca.OpBind {
			for _, t := range r.stays {
				if !t.Over() {
					return false
				}
			}
		}
	}
	return true
}

// Invalidate revokes an endpoint window at a peer's request.
func (q *QP) Invalidate(k hca.Key) fault {
	g := q.PD.Adapter.Keys.Get(k)
	if g == nil {
		return FaultKey
	}
	if g.MW == nil || g.Only != q {
		return g.reported(FaultRights) // a peer may revoke only what was bound for it
	}
	g.MW.mu.Lock()
	defer g.MW.mu.Unlock()
	if g.MW.bound != g {
		return FaultKey
	}
	g.MW.unbindLocked()
	return FaultNone
}

// RunBind carries out a bind or unbind. It reports true when nobody uses the former key any more. A failure may
// have to wait for earlier requests; RunBind is then called again, and returns the same status.
func (q *QP) RunBind(r *SendReq) (hca.Status, bool) {
	if !r.Begun {
		r.Begun = true
		if r.former, r.Status = q.bind(r.WR.Bind); r.Status != hca.StatusOK {
			return r.Status, true
		}
		all := q.PD.inside(r.stays[:0], r.former)
		r.stays = all[:0]
		for _, t := range all {
			if t.Gate != &q.Tx.Word {
				r.stays = append(r.stays, t)
			}
		}
	}
	if r.Status != hca.StatusOK {
		return r.Status, true
	}
	for _, t := range r.stays {
		if !t.Over() {
			q.Adapter.Engine.Schedule(q)
			return 0, false
		}
	}
	if r.former != nil {
		r.WR.Bind.MW.(*mw).keep(r.former) // nobody uses it any more
		r.former = nil
	}
	return hca.StatusOK, true
}
