package soft

import (
	"fmt"
	"sync"
	"sync/atomic"

	"github.com/godapl/godapl/internal/hca"
)

// mw is a memory window.
type mw struct {
	pd   *pd
	kind hca.WindowKind
	last atomic.Uint32 // key of the latest bind that was posted

	mu    sync.Mutex
	bound *grant // what the window covers now; nil if nothing
	spare *grant // for the next bind
	dead  bool
}

func (p *pd) NewWindow(kind hca.WindowKind) (hca.MW, error) {
	const op = "new window"
	if kind != hca.ZoneWindow && kind != hca.EndpointWindow {
		return nil, hca.NewError(hca.Invalid, op, "window", fmt.Sprintf("unknown kind %d", kind))
	}
	if err := p.hold(op); err != nil {
		return nil, err
	}
	w := &mw{pd: p, kind: kind}
	if err := p.a.track(op, w); err != nil {
		p.drop()
		return nil, err
	}
	return w, nil
}

func (w *mw) Kind() hca.WindowKind { return w.kind }
func (w *mw) RKey() hca.Key        { return hca.Key(w.last.Load()) }

// fresh is a grant that nobody has in hand: the spare one, or new.
func (w *mw) fresh() *grant {
	w.mu.Lock()
	defer w.mu.Unlock()
	if g := w.spare; g != nil {
		w.spare = nil
		return g
	}
	return new(grant)
}

// keep takes a former grant for the next bind. It holds on to nothing.
func (w *mw) keep(g *grant) {
	*g = grant{}
	w.mu.Lock()
	w.spare = g
	w.mu.Unlock()
}

// unbindLocked revokes what the window covers. w.mu is held.
func (w *mw) unbindLocked() {
	if g := w.bound; g != nil {
		w.pd.a.keys.revoke(g.key)
		w.pd.a.keys.release(g.key)
		g.mr.unbindWindow()
		w.bound = nil
	}
}

func (w *mw) Close() error {
	w.mu.Lock()
	if w.dead {
		w.mu.Unlock()
		return nil
	}
	w.dead = true
	former := w.bound
	w.unbindLocked()
	w.mu.Unlock()
	w.pd.quiesce(former)
	w.pd.a.untrack(w)
	w.pd.drop()
	return nil
}
