package core

import (
	"fmt"
	"sync"

	"github.com/godapl/godapl/internal/hca"
	"github.com/godapl/godapl/internal/hca/soft/gate"
)

// PD is a protection domain: its regions, windows and queue pairs may use each other.
type PD struct {
	Adapter *Adapter
	ID      uint64 // identifies the domain to other processes

	mu   sync.Mutex
	refs int              // regions, windows, shared receive queues, queue pairs
	qps  map[*QP]struct{} // quiesce waits for their accesses
	dead bool
}

func (a *Adapter) NewPD() (hca.PD, error) {
	p := &PD{Adapter: a, ID: Numbers.Add(1), qps: make(map[*QP]struct{})}
	if err := a.Track("new zone", p); err != nil {
		return nil, err
	}
	return p, nil
}

// PeersMap implements hca.Mapper: only a path that observes the keys hands files to peers.
func (p *PD) PeersMap() bool { return p.Adapter.Keys.Observer != nil }

// hold counts an object that belongs to the domain.
func (p *PD) hold(op string) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.dead {
		return hca.NewError(hca.Closed, op, "zone", "the zone has been closed")
	}
	p.refs++
	return nil
}

func (p *PD) drop() {
	p.mu.Lock()
	p.refs--
	p.mu.Unlock()
}

func (p *PD) addQP(q *QP) {
	p.mu.Lock()
	p.qps[q] = struct{}{}
	p.mu.Unlock()
}

func (p *PD) removeQP(q *QP) {
	p.mu.Lock()
	delete(p.qps, q)
	p.mu.Unlock()
}

// QueuePairs lists the domain's queue pairs.
func (p *PD) QueuePairs() []*QP {
	p.mu.Lock()
	defer p.mu.Unlock()
	list := make([]*QP, 0, len(p.qps))
	for q := range p.qps {
		list = append(list, q)
	}
	return list
}

func (p *PD) Close() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.dead {
		return nil
	}
	if p.refs > 0 {
		return hca.NewError(hca.InUse, "close", "zone",
			fmt.Sprintf("%d regions, windows, shared receive queues or endpoints still belong to it: close them first", p.refs))
	}
	p.dead = true
	p.Adapter.Untrack(p)
	return nil
}

// inside lists the accesses to this domain's memory that may be under way now: the stays at its gates and the
// peers' direct accesses. When all of them are over, nobody uses a key that was revoked before: a later access
// does not find it. g is what the key stood for; nil if no other process can have used it.
func (p *PD) inside(list []gate.Stay, g *KeyEntry) []gate.Stay {
	p.mu.Lock()
	defer p.mu.Unlock()
	for q := range p.qps {
		if t := q.Transport(); t != nil && g != nil {
			list = t.AppendStays(list, g)
		}
		for _, g := range q.gates() {
			if g == nil {
				continue
			}
			if t, held := gate.Watch(g); held {
				list = append(list, t)
			}
		}
	}
	return list
}

// quiesce waits for all accesses that are under way. Callers are inside no gate.
func (p *PD) quiesce(g *KeyEntry) {
	for _, t := range p.inside(nil, g) {
		t.Wait()
	}
}
