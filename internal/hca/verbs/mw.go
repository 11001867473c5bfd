package verbs

import (
	"sync/atomic"

	"github.com/godapl/godapl/internal/hca"
	"github.com/godapl/godapl/internal/hca/verbs/ibv"
)

// mw is a memory window.
type mw struct {
	pd   *pd
	h    ibv.MW
	kind hca.WindowKind
	// through is the queue pair that an endpoint window was bound through last.
	// Guarded by pd.mu, as h is.
	through *qp
	// bound: the latest bind that was posted binds the window, and the peer has not
	// invalidated it.
	bound  bool
	key    atomic.Uint32 // of the latest bind that was posted
	closed atomic.Bool
}

func (p *pd) NewWindow(kind hca.WindowKind) (hca.MW, error) {
	const op = "NewWindow"
	a := p.ad
	var need hca.Caps
	var typ ibv.MWType
	switch kind {
	case hca.ZoneWindow:
		need, typ = hca.CapZoneWindows, ibv.MWType1
	case hca.EndpointWindow:
		need, typ = hca.CapEndpointWindows, ibv.MWType2
	default:
		return nil, hca.NewError(hca.Invalid, op, "window", "there are zone windows and endpoint windows")
	}
	if a.attr.Caps&need == 0 {
		return nil, hca.NewError(hca.Unsupported, op, a.attr.Name,
			"the device has no memory windows of this kind; give the peer the key of a region that covers just what it may use")
	}
	if err := p.open(op); err != nil {
		return nil, err
	}
	defer p.mu.Unlock()
	h, e := a.lib.AllocMW(p.h, typ)
	if e != 0 {
		return nil, explain(op, a.attr.Name, e, "")
	}
	w := &mw{pd: p, h: h, kind: kind}
	p.mws[w] = struct{}{}
	return w, nil
}

func (w *mw) Kind() hca.WindowKind { return w.kind }
func (w *mw) RKey() hca.Key        { return hca.Key(w.key.Load()) }

func (w *mw) handle() ibv.MW {
	w.pd.mu.Lock()
	defer w.pd.mu.Unlock()
	return w.h
}

// isBound reports whether an endpoint window is bound through the queue pair.
func (w *mw) isBound(q *qp) bool {
	q.rcq.mu.Lock()
	q.rcq.pull() // the peer may have invalidated it
	q.rcq.mu.Unlock()
	q.pulled = true
	w.pd.mu.Lock()
	defer w.pd.mu.Unlock()
	return w.bound && w.through == q
}

// isBoundElsewhere reports whether an endpoint window is bound through another queue pair.
func (w *mw) isBoundElsewhere(q *qp) bool {
	w.pd.mu.Lock()
	defer w.pd.mu.Unlock()
	return w.bound && w.through != q
}

// invalidated notes that the peer has unbound a window.
func (p *pd) invalidated(key uint32) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for w := range p.mws {
		if w.kind == hca.EndpointWindow && w.key.Load() == key {
			w.bound = false
		}
	}
}

// renewWindows frees the device's windows that are bound through a queue pair that is
// about to end, and makes new ones. The device refuses to destroy a queue pair while a
// window is bound through it, and the bind becomes void anyway.
func (p *pd) renewWindows(q *qp) {
	p.binding.Lock()
	defer p.binding.Unlock()
	p.mu.Lock()
	defer p.mu.Unlock()
	for w := range p.mws {
		if w.through != q {
			continue
		}
		w.through, w.bound = nil, false
		if e := p.ad.lib.DeallocMW(w.h); e != 0 {
			p.ad.logf("a window could not be freed", "error", e)
			continue
		}
		var e ibv.Errno
		if w.h, e = p.ad.lib.AllocMW(p.h, ibv.MWType2); e != 0 {
			w.h = 0
			p.ad.logf("a window could not be made again", "error", e)
		}
	}
}

// Close revokes the window. A bind of it that is still queued fails.
func (w *mw) Close() error {
	p := w.pd
	p.binding.Lock()
	defer p.binding.Unlock()
	if err := p.open("MW.Close"); err != nil {
		return err
	}
	defer p.mu.Unlock()
	if w.closed.Load() {
		return hca.NewError(hca.Closed, "MW.Close", "window", "it has been closed")
	}
	if e := w.dealloc(); e != 0 {
		return explain("MW.Close", "window", e, "")
	}
	w.closed.Store(true)
	delete(p.mws, w)
	return nil
}

func (w *mw) free() {
	w.closed.Store(true)
	if e := w.dealloc(); e != 0 {
		w.pd.ad.logf("a window could not be freed", "error", e)
	}
}

func (w *mw) dealloc() ibv.Errno {
	if w.h == 0 {
		return 0
	}
	return w.pd.ad.lib.DeallocMW(w.h)
}
