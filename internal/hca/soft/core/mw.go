package core

import (
	"fmt"
	"sync"
	"sync/atomic"

	"github.com/godapl/godapl/internal/hca"
)

// mw is a memory window.
type mw struct {
	pd   *PD
	kind hca.WindowKind
	last atomic.Uint32 // key of the latest bind that was posted

	mu    sync.Mutex
	bound *KeyEntry // what the window covers; nil if nothing
	spare *KeyEntry // for the next bind
	dead  bool
}

func (p *PD) NewWindow(kind hca.WindowKind) (hca.MW, error) {
	const op = "new window"
	if kind != hca.ZoneWindow && kind != hca.EndpointWindow {
		return nil, hca.NewError(hca.Invalid, op, "window", fmt.Sprintf("unknown kind %d", kind))
	}
	if err := p.hold(op); err != nil {
		return nil, err
	}
	w := &mw{pd: p, kind: kind}
	if err := p.Adapter.Track(op, w); err != nil {
		p.drop()
		return nil, err
	}
	return w, nil
}

func (w *mw) Kind() hca.WindowKind { return w.kind }
func (w *mw) RKey() hca.Key        { return hca.Key(w.last.Load()) }

// fresh returns an entry that nobody uses: the spare one, or a new one.
func (w *mw) fresh() *KeyEntry {
	w.mu.Lock()
	defer w.mu.Unlock()
	if g := w.spare; g != nil {
		w.spare = nil
		return g
	}
	return new(KeyEntry)
}

// keep keeps a former entry for the next bind, without its references, unless somebody may have found it outside of gates.
func (w *mw) keep(g *KeyEntry) {
	if w.pd.Adapter.Keys.Looking.Load() == 0 {
		*g = KeyEntry{}
		w.mu.Lock()
		w.spare = g
		w.mu.Unlock()
	}
}

// unbindLocked revokes what the window covers. The caller holds w.mu.
func (w *mw) unbindLocked() {
	if g := w.bound; g != nil {
		w.pd.Adapter.Keys.revoke(g.Key)
		w.pd.Adapter.Keys.release(g.Key)
		g.MR.unbindWindow()
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
	w.pd.Adapter.Untrack(w)
	w.pd.drop()
	return nil
}
