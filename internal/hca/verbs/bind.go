package verbs

import (
	"github.com/godapl/godapl/internal/hca"
	"github.com/godapl/godapl/internal/hca/verbs/ibv"
)

// isZoneBind reports a bind of a window of type 1, which has a call of its own.
func isZoneBind(wr *hca.SendWR) bool {
	return wr.Op == hca.OpBind && wr.Bind.MW.Kind() == hca.ZoneWindow
}

// buildBind checks a bind and writes its work request. Mistakes that the library can
// detect are refused here and break no connection.
func (q *qp) buildBind(n int, w *ibv.SendWR, wr *hca.SendWR) (uint64, error) {
	const op = "PostSend"
	q.holdBinds()
	b := wr.Bind
	if b == nil || b.MW == nil {
		return 0, hca.NewError(hca.Invalid, op, "bind", "there is no window to bind")
	}
	win, ok := b.MW.(*mw)
	switch {
	case !ok || win.pd.ad != q.ad:
		return 0, hca.NewError(hca.Invalid, op, "bind", "the window is of another adapter")
	case win.pd != q.pd:
		return 0, hca.NewError(hca.Protection, op, "bind", "the window belongs to another domain")
	case win.closed.Load():
		return 0, hca.NewError(hca.Closed, op, "bind", "the window has been closed")
	}
	h := win.handle()
	if h == 0 {
		return 0, hca.NewError(hca.Resources, op, "bind", "the device gave no new window when the former connection of this one ended")
	}
	info := ibv.MWBindInfo{}
	if b.Len > 0 {
		m, err := q.bindable(b)
		if err != nil {
			return 0, err
		}
		info = ibv.MWBindInfo{MR: m.h, Addr: b.Addr, Length: b.Len, Access: remoteAccess(b.Access)}
	}
	switch {
	case win.kind == hca.ZoneWindow:
		if b.Len == 0 {
			none, err := q.pd.dummyMR()
			if err != nil {
				return 0, err
			}
			info.MR = none
		}
		q.args.bind.S[0] = ibv.MWBind{Info: info}
	case win.isBoundElsewhere(q):
		return 0, hca.NewError(hca.State, op, "bind", "the window is bound through another connection: unbind it there first")
	case b.Len > 0 && win.isBound(q):
		return 0, hca.NewError(hca.State, op, "bind", "a device binds an endpoint window once: unbind it first")
	case b.Len > 0:
		key := ibv.IncRKey(win.next())
		w.SetBindMW(h, key, info)
		q.args.keys[n] = key
	case win.isBound(q):
		// A window of type 2 is unbound by invalidating its key.
		w.Opcode = ibv.WRLocalInv
		w.SetInvalidate(win.next())
	default:
		// There is nothing to invalidate, and an attempt crashes kernels with rxe.
		// So a write of no bytes is posted instead.
		w.Opcode = ibv.WRRDMAWrite
	}
	return b.Len, nil
}

// holdBinds keeps windows and regions from being freed until letBinds: the library
// reads them when a bind is posted. Called with mu held.
func (q *qp) holdBinds() {
	if !q.binding {
		q.binding = true
		q.pd.binding.RLock()
	}
}

func (q *qp) letBinds() {
	if q.binding {
		q.binding = false
		q.pd.binding.RUnlock()
	}
}

// bindable checks what a window is to cover.
func (q *qp) bindable(b *hca.Bind) (*mr, error) {
	const op = "PostSend"
	m, ok := b.MR.(*mr)
	switch {
	case b.MR == nil || !ok:
		return nil, hca.NewError(hca.Invalid, op, "bind", "there is no region of this adapter to bind to")
	case b.Access&^hca.RemoteAll != 0:
		return nil, hca.NewError(hca.Invalid, op, "bind", "a window grants remote rights only")
	case m.pd != q.pd:
		return nil, hca.NewError(hca.Protection, op, "bind", "the region belongs to another domain")
	}
	m.pd.mu.Lock()
	closed := m.closed
	m.pd.mu.Unlock()
	switch {
	case closed:
		return nil, hca.NewError(hca.Closed, op, "bind", "the region has been closed")
	case !m.windows:
		return nil, hca.NewError(hca.Privileges, op, "bind", "devices bind windows to writable memory only: map it for writing")
	case b.Access&(hca.RemoteWrite|hca.RemoteAtomic) != 0 && m.access&hca.LocalWrite == 0:
		return nil, hca.NewError(hca.Privileges, op, "bind", "peers may write only where the region has local write")
	case b.Addr < m.addr || b.Len > uint64(m.size) || b.Addr-m.addr > uint64(m.size)-b.Len:
		return nil, hca.NewError(hca.Invalid, op, "bind", "the range is not inside the region")
	case b.Access&hca.RemoteAtomic != 0 && q.ad.attr.Caps&hca.CapAtomics == 0:
		return nil, hca.NewError(hca.Unsupported, op, "bind", "this device has no atomic operations")
	}
	return m, nil
}

// next is the key from which the next key is derived: that of the device's window, which
// is another one after renewWindows.
func (w *mw) next() uint32 { return w.handle().RKey() }

// bindZone posts the bind of a window of type 1, which has been built last.
func (q *qp) bindZone(wr *hca.SendWR) ibv.Errno {
	s := &q.send
	seq := s.given.Load()
	r := &s.recs[seq&s.mask]
	arg := &q.args.bind.S[0]
	arg.ID = uint64(q.sendID(seq))
	arg.Flags = sendFlags(wr.Flags)
	if r.signaled {
		arg.Flags |= ibv.SendSignaled
	}
	s.note(r, seq)
	s.give(seq + 1)
	win := wr.Bind.MW.(*mw)
	e := q.frame.BindMW(q.h, win.h, q.args.bind.Addr(0))
	if e != 0 {
		s.forget(1)
	}
	return e
}

// bindPosted notes the key that the post has given.
func (q *qp) bindPosted(b *hca.Bind, key uint32) {
	win := b.MW.(*mw)
	win.pd.mu.Lock()
	defer win.pd.mu.Unlock()
	if win.kind == hca.ZoneWindow {
		key = win.h.RKey()
	}
	if b.Len > 0 || win.kind == hca.ZoneWindow {
		win.key.Store(key)
	}
	if b.Len > 0 {
		b.Key = hca.Key(key)
		if win.kind == hca.EndpointWindow {
			win.h.SetRKey(key)
			win.through, win.bound = q, true
		}
	} else {
		win.bound = false
	}
}
