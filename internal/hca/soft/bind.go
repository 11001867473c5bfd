package soft

import (
	"fmt"

	"github.com/godapl/godapl/internal/hca"
)

// checkBind looks at a bind when it is posted and reserves its key.
func (q *qp) checkBind(b *hca.Bind) error {
	const op = "post bind"
	if b == nil {
		return hca.NewError(hca.Invalid, op, "window", "the request says not what to bind")
	}
	w, ok := b.MW.(*mw)
	if !ok || w == nil {
		return hca.NewError(hca.Invalid, op, "window", "the window is not of this adapter")
	}
	if w.pd != q.pd {
		return hca.NewError(hca.Protection, op, "window", "window and endpoint belong to different zones")
	}
	if b.Len == 0 {
		b.Key = 0
		w.last.Store(0)
		return nil
	}
	m, ok := b.MR.(*mr)
	if !ok || m == nil {
		return hca.NewError(hca.Invalid, op, "window", "the region is not of this adapter")
	}
	g := m.grant
	switch {
	case m.pd != q.pd:
		return hca.NewError(hca.Protection, op, "window", "region and endpoint belong to different zones")
	case b.Addr < g.addr || b.Len > uint64(len(g.bytes)) || b.Addr-g.addr > uint64(len(g.bytes))-b.Len:
		return hca.NewError(hca.Invalid, op, "window",
			fmt.Sprintf("%d bytes at %#x are not inside the region's %d at %#x", b.Len, b.Addr, len(g.bytes), g.addr))
	case b.Access&^hca.AllAccess != 0:
		return hca.NewError(hca.Invalid, op, "window", fmt.Sprintf("unknown rights %#x", uint8(b.Access&^hca.AllAccess)))
	case b.Access&hca.RemoteRead != 0 && g.access&hca.LocalRead == 0:
		return hca.NewError(hca.Privileges, op, "window", "remote read needs a region with local read")
	case b.Access&(hca.RemoteWrite|hca.RemoteAtomic) != 0 && g.access&hca.LocalWrite == 0:
		return hca.NewError(hca.Privileges, op, "window", "remote write and atomics need a region with local write")
	}
	k, ok := q.pd.a.keys.reserve()
	if !ok {
		return hca.NewError(hca.Resources, op, "window", "all keys are taken")
	}
	b.Key = k
	w.last.Store(uint32(k))
	return nil
}

// bind carries a bind out when its turn has come. It returns the grant that is
// no longer good: the request is complete when nobody uses that one any more.
func (q *qp) bind(b *hca.Bind) (former *grant, status hca.Status) {
	w := b.MW.(*mw)
	var g *grant
	if b.Len > 0 {
		m := b.MR.(*mr)
		if !m.bindWindow() {
			q.pd.a.keys.release(b.Key)
			return nil, hca.StatusBindFailed
		}
		off := b.Addr - m.grant.addr
		g = w.fresh()
		*g = grant{
			key: b.Key, access: b.Access & hca.RemoteAll, addr: b.Addr,
			bytes: m.grant.bytes[off : off+b.Len : off+b.Len], frail: m.grant.frail, pd: w.pd, mr: m, mw: w,
		}
		if w.kind == hca.EndpointWindow {
			g.only = q
		}
	}
	w.mu.Lock()
	if w.dead {
		w.mu.Unlock()
		if g != nil {
			g.mr.unbindWindow()
			q.pd.a.keys.release(b.Key)
		}
		return nil, hca.StatusBindFailed
	}
	former = w.bound
	w.unbindLocked()
	w.bound = g
	if g != nil {
		w.pd.a.keys.put(g)
	}
	w.mu.Unlock()
	return former, hca.StatusOK
}

// undoBind sees to it that a bind that is reported as flushed grants nothing. It
// may have been carried out already, behind a request that failed afterwards.
func (r *sendReq) undoBind() {
	b := r.wr.Bind
	w := b.MW.(*mw)
	switch {
	case b.Key == 0:
	case !r.begun:
		w.pd.a.keys.release(b.Key)
	default: // its key is the window's, or was given back
		w.mu.Lock()
		if w.bound != nil && w.bound.key == b.Key {
			w.unbindLocked()
		}
		w.mu.Unlock()
	}
}

// bindsOver reports whether no bind has been carried out that still waits for
// somebody to stop using a former key.
func (q *qp) bindsOver() bool {
	for i := q.sq.head; i != q.sq.tail; i++ {
		if r := q.sq.at(i); r.begun && r.wr.Op == hca.OpBind {
			for _, t := range r.stays {
				if !t.over() {
					return false
				}
			}
		}
	}
	return true
}

// invalidate revokes an endpoint window on a peer's behalf.
func (q *qp) invalidate(k hca.Key) fault {
	g := q.pd.a.keys.get(k)
	if g == nil {
		return faultKey
	}
	if g.mw == nil || g.only != q {
		return g.told(faultRights) // only what was bound for this peer is its to revoke
	}
	g.mw.mu.Lock()
	defer g.mw.mu.Unlock()
	if g.mw.bound != g {
		return faultKey
	}
	g.mw.unbindLocked()
	return faultNone
}

// runBind binds or unbinds, and completes when nobody is left who may still
// use the key that this made bad. The failure of one may have to wait for the requests
// before it, and is asked for again then: it stays.
func (q *qp) runBind(r *sendReq) (hca.Status, bool) {
	if !r.begun {
		r.begun = true
		if r.former, r.status = q.bind(r.wr.Bind); r.status != hca.StatusOK {
			return r.status, true
		}
		all := q.pd.inside(r.stays[:0], r.former)
		r.stays = all[:0]
		for _, t := range all {
			if t.gate != &q.tx.word {
				r.stays = append(r.stays, t)
			}
		}
	}
	if r.status != hca.StatusOK {
		return r.status, true
	}
	for _, t := range r.stays {
		if !t.over() {
			q.a.engine.schedule(q)
			return 0, false
		}
	}
	if r.former != nil {
		r.wr.Bind.MW.(*mw).keep(r.former) // nobody has it in hand any more
		r.former = nil
	}
	return hca.StatusOK, true
}
