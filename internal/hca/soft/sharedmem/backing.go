package sharedmem

import (
	"sync"
	"sync/atomic"

	"github.com/godapl/godapl/internal/hca/soft/core"
	"github.com/godapl/godapl/internal/hca/soft/sharedmem/peerfiles"
)

// A backing is the file of memory of this process. All regions that are registered over the memory share it, in whichever
// zone and adapter: when the memory is detached, no key may lead to the file.
type backing struct {
	id        peerfiles.ID
	detach    func() error
	mu        sync.Mutex         // held while the memory is detached
	detaching atomic.Bool        // meanwhile nobody but the one who detaches writes records of the regions' keys
	detached  atomic.Bool        // the memory is no longer the file's
	regions   map[*core.MR]*Path // guarded by backings.mu
}

// backings are those of all regions.
var backings = backingList{m: make(map[peerfiles.ID]*backing)}

type backingList struct {
	mu sync.Mutex
	m  map[peerfiles.ID]*backing
}

// hold notes a region of path p.
func (l *backingList) hold(id peerfiles.ID, m *core.MR, p *Path, detach func() error) *backing {
	l.mu.Lock()
	defer l.mu.Unlock()
	b := l.m[id]
	if b == nil {
		b = &backing{id: id, detach: detach, regions: make(map[*core.MR]*Path, 1)}
		l.m[id] = b
	}
	b.regions[m] = p
	return b
}

// drop forgets a region. While the memory is detached it waits: its adapter may close the key directory next.
func (l *backingList) drop(b *backing, m *core.MR) {
	b.mu.Lock()
	defer b.mu.Unlock()
	l.mu.Lock()
	defer l.mu.Unlock()
	if delete(b.regions, m); len(b.regions) == 0 {
		delete(l.m, b.id)
	}
}

// detachFile detaches the region's memory from its file, so that a process that maps the file no longer reaches
// it. Other peers lose nothing: they leave first, and use the other keys of this memory again when these lead to the new
// memory. It returns when the memory is detached, also if another goroutine does that.
func detachFile(m *core.MR, stuck *Conn) error {
	f := fileOf(m)
	if f == nil || f.detach == nil {
		return nil
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.detached.Load() {
		return nil
	}
	f.detaching.Store(true)
	keys := f.keys()
	for _, k := range keys {
		k.look(func(g *core.KeyEntry) {
			if b := k.path.directory.Load(); b != nil {
				b.Suspend(uint32(g.Key))
			}
		})
	}
	for _, k := range keys {
		k.look(func(g *core.KeyEntry) {
			for _, c := range connections(g.PD) {
				if c != stuck {
					c.awaitHazards(g)
				}
			}
		})
	}
	err := f.detach()
	f.detached.Store(true)
	f.detaching.Store(false)
	for _, k := range f.keys() { // those of now
		k.look(func(*core.KeyEntry) {
			if b := k.path.directory.Load(); b != nil {
				b.Change(entryOf(k.place))
				b.Publish(entryOf(k.place))
			}
		})
	}
	return err
}

// A keyPlace is a place in the key table of a path's adapter.
type keyPlace struct {
	path  *Path
	place *atomic.Pointer[core.KeyEntry]
}

// look calls f with what is there, if there is something.
func (k keyPlace) look(f func(g *core.KeyEntry)) {
	k.path.look(func() {
		if g := k.place.Load(); g != nil {
			f(g)
		}
	})
}

// keys lists the places that hold keys of the regions.
func (f *backing) keys() (list []keyPlace) {
	backings.mu.Lock()
	defer backings.mu.Unlock()
	for m, p := range f.regions {
		for _, place := range p.places(m) {
			list = append(list, keyPlace{p, place})
		}
	}
	return list
}

// places lists the key table's places that hold the region's keys.
func (p *Path) places(m *core.MR) (list []*atomic.Pointer[core.KeyEntry]) {
	p.look(func() {
		p.a.Keys.Each(func(place *atomic.Pointer[core.KeyEntry]) {
			if g := place.Load(); g != nil && g.MR == m {
				list = append(list, place)
			}
		})
	})
	return list
}

func connections(pd *core.PD) (list []*Conn) {
	for _, q := range pd.QueuePairs() {
		if c, ok := q.Transport().(*Conn); ok {
			list = append(list, c)
		}
	}
	return list
}
