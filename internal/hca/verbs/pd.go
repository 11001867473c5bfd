package verbs

import (
	"sync"

	"github.com/godapl/godapl/internal/hca"
	"github.com/godapl/godapl/internal/hca/verbs/ibv"
)

// pd is a protection domain.
type pd struct {
	ad *adapter
	h  ibv.PD

	// binding is held for reading from when a bind is built until it is posted, and
	// for writing while a window or a region of the device is freed. It is taken
	// under a queue pair's mu and before all other locks.
	binding sync.RWMutex
	// mu guards what belongs to the domain.
	mu     sync.Mutex
	closed bool
	mrs    map[*mr]struct{}
	mws    map[*mw]struct{}
	srqs   map[*srq]struct{}
	users  int // queue pairs, and calls that make something without the lock
	dummy  dummyMR
}

func (a *adapter) NewPD() (hca.PD, error) {
	if err := a.begin("NewPD"); err != nil {
		return nil, err
	}
	defer a.calls.leave()
	h, e := a.lib.AllocPD(a.dev.ctx)
	if e != 0 {
		return nil, explain("NewPD", a.attr.Name, e, "")
	}
	p := &pd{ad: a, h: h, mrs: map[*mr]struct{}{}, mws: map[*mw]struct{}{}, srqs: map[*srq]struct{}{}}
	if err := add(a, "NewPD", a.pds, p, struct{}{}); err != nil {
		a.lib.DeallocPD(h)
		return nil, err
	}
	return p, nil
}

// open refuses calls after Close; with it succeeds, p.mu is held.
func (p *pd) open(op string) error {
	if err := p.ad.check(op); err != nil {
		return err
	}
	p.mu.Lock()
	if p.closed {
		p.mu.Unlock()
		return hca.NewError(hca.Closed, op, "protection domain", "it has been closed")
	}
	return nil
}

// join counts a user: the domain stays until it leaves.
func (p *pd) join(op string) error {
	if err := p.open(op); err != nil {
		return err
	}
	p.users++
	p.mu.Unlock()
	return nil
}

func (p *pd) leave() {
	p.mu.Lock()
	p.users--
	p.mu.Unlock()
}

// PeersMap implements hca.Mapper: peers reach memory through the device.
func (p *pd) PeersMap() bool { return false }

func (p *pd) Close() error {
	if err := p.ad.begin("PD.Close"); err != nil {
		return err
	}
	defer p.ad.calls.leave()
	if err := p.open("PD.Close"); err != nil {
		return err
	}
	if n := len(p.mrs) + len(p.mws) + len(p.srqs) + p.users; n > 0 {
		p.mu.Unlock()
		return hca.NewError(hca.InUse, "PD.Close", "protection domain",
			"regions, windows, shared receive queues or queue pairs belong to it: close them first")
	}
	p.closed = true
	p.mu.Unlock()
	remove(p.ad, p.ad.pds, p)
	p.free()
	return nil
}

func (p *pd) free() {
	p.freeDummyMR()
	if e := p.ad.lib.DeallocPD(p.h); e != 0 {
		p.ad.logf("a protection domain could not be freed", "error", e)
	}
}

// shut frees all that belongs to the domain; its queue pairs are gone.
func (p *pd) shut() {
	p.mu.Lock()
	p.closed = true
	mws, mrs, srqs := p.mws, p.mrs, p.srqs
	p.mws, p.mrs, p.srqs = nil, nil, nil
	p.mu.Unlock()
	for w := range mws {
		w.free()
	}
	for m := range mrs {
		m.free()
	}
	for s := range srqs {
		s.free()
	}
}

// logf tells the operator.
func (a *adapter) logf(msg string, args ...any) {
	if a.opt.Log != nil {
		a.opt.Log.Warn(msg, append([]any{"adapter", a.attr.Name}, args...)...)
	}
}
