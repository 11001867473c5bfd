package soft

import (
	"crypto/rand"
	"encoding/binary"
	"sync"
	"sync/atomic"

	"github.com/godapl/godapl/internal/hca"
)

// A grant is what a key stands for: a range of memory, who may use it and how.
// It is immutable; revoking it means taking it out of its table.
type grant struct {
	key    hca.Key
	access hca.Access
	addr   uint64
	bytes  []byte
	frail  bool // an access to bytes may fault: see guard.go
	pd     *pd
	mr     *mr
	mw     *mw
	only   *qp // endpoint windows: the one queue pair it is good on
}

// A keyTable maps 32-bit keys to grants: 24 bits of index and 8 bits that
// change whenever an index is used again (the usual split of an iWARP STag).
// Looking up takes no lock. Indices are drawn at random: knowing keys tells
// nothing about others. A page whose last key was given back serves another
// place; who still has it in hand compares keys and finds none of its own.
type keyTable struct {
	pages [1 << (indexBits - pageBits)]atomic.Pointer[keyPage]

	observer keyObserver // constant; may be nil

	mu    sync.Mutex
	used  int        // guarded by mu
	spare []*keyPage // pages that nobody has a key of; guarded by mu
}

// A keyObserver hears of an adapter's regions and keys.
type keyObserver interface {
	// registered comes before the region's key is good. What it returns is kept as
	// mr.observed.
	registered(m *mr, mem hca.Memory) any
	// released comes when nobody uses the region any more.
	released(m *mr)
	// published comes when a key has been made good. It is in its place in the table.
	published(place *atomic.Pointer[grant])
	// revoked comes when a key has been made bad, and before anybody waits until nobody
	// uses it.
	revoked(k hca.Key)
}

const (
	indexBits = 24
	pageBits  = 6 // small, since nearly every key has a page of its own
	pageMask  = 1<<pageBits - 1
	maxKeys   = 1 << (indexBits - 1) // so that drawing ends soon
)

type keyPage struct {
	grants [1 << pageBits]atomic.Pointer[grant]
	taken  uint64              // guarded by keyTable.mu
	low    [1 << pageBits]byte // of the index's latest key; guarded by keyTable.mu
}

// get finds the grant of a key, or nil.
func (t *keyTable) get(k hca.Key) *grant {
	p := t.pages[k>>(8+pageBits)].Load()
	if p == nil {
		return nil
	}
	g := p.grants[k>>8&pageMask].Load()
	if g == nil || g.key != k {
		return nil
	}
	return g
}

// reserve draws a fresh key, never the one that its index had before as long as
// its page has lived. It means nothing until put.
func (t *keyTable) reserve() (hca.Key, bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.used == maxKeys {
		return 0, false
	}
	for {
		var random [4]byte
		_, _ = rand.Read(random[:]) // never fails, see its documentation
		k := hca.Key(binary.LittleEndian.Uint32(random[:]))
		if k == 0 || k == ^hca.Key(0) { // peers take these for "none"
			continue
		}
		p := t.page(k)
		bit := uint64(1) << (k >> 8 & pageMask)
		if last := &p.low[k>>8&pageMask]; p.taken&bit == 0 && *last != byte(k) {
			*last = byte(k)
			p.taken |= bit
			t.used++
			return k, true
		}
	}
}

// page makes a key's page. t.mu is held.
func (t *keyTable) page(k hca.Key) *keyPage {
	slot := &t.pages[k>>(8+pageBits)]
	p := slot.Load()
	if p == nil {
		if n := len(t.spare); n > 0 {
			p, t.spare = t.spare[n-1], t.spare[:n-1]
		} else {
			p = new(keyPage)
		}
		slot.Store(p)
	}
	return p
}

// sparePages bounds the pages that wait for their next place.
const sparePages = 64

func (t *keyTable) slot(k hca.Key) *atomic.Pointer[grant] {
	return &t.pages[k>>(8+pageBits)].Load().grants[k>>8&pageMask]
}

// put makes the grant's key good.
func (t *keyTable) put(g *grant) {
	place := t.slot(g.key)
	place.Store(g)
	if t.observer != nil {
		t.observer.published(place)
	}
}

// revoke makes a key bad at once. Accesses that found it before may still be
// under way: see pd.quiesce.
func (t *keyTable) revoke(k hca.Key) {
	t.slot(k).Store(nil)
	if t.observer != nil {
		t.observer.revoked(k)
	}
}

// each calls f with every place of the table that has a key.
func (t *keyTable) each(f func(place *atomic.Pointer[grant])) {
	for i := range t.pages {
		if p := t.pages[i].Load(); p != nil {
			for j := range p.grants {
				f(&p.grants[j])
			}
		}
	}
}

// release gives the index back.
func (t *keyTable) release(k hca.Key) {
	t.mu.Lock()
	p := t.page(k)
	p.taken &^= 1 << (k >> 8 & pageMask)
	t.used--
	if p.taken == 0 {
		t.pages[k>>(8+pageBits)].Store(nil)
		if len(t.spare) < sparePages {
			t.spare = append(t.spare, p)
		}
	}
	t.mu.Unlock()
}

// fault says why an access was refused. The order of the checks is that of
// RFC 5041 section 7.
type fault uint8

const (
	faultNone fault = iota
	faultKey
	faultZone
	faultWrap
	faultBounds
	faultRights
	faultPage // the page does not allow it: see guard.go
)

// check finds the n bytes at addr, for a peer's access that needs the remote
// right need on queue pair q.
func (t *keyTable) check(q *qp, k hca.Key, addr, n uint64, need hca.Access) ([]byte, *grant, fault) {
	return t.checkIn(q.pd, q, k, addr, n, need)
}

// checkIn is check for who knows the queue pair's domain, and would not have the
// queue pair itself brought into the cache for it.
func (t *keyTable) checkIn(pd *pd, q *qp, k hca.Key, addr, n uint64, need hca.Access) ([]byte, *grant, fault) {
	g := t.get(k)
	switch {
	case g == nil:
		return nil, nil, faultKey
	case g.pd != pd || g.only != nil && g.only != q:
		return nil, nil, g.told(faultZone)
	case addr+n < addr:
		return nil, nil, g.told(faultWrap)
	}
	off := addr - g.addr
	if addr < g.addr || off > uint64(len(g.bytes)) || n > uint64(len(g.bytes))-off {
		return nil, nil, g.told(faultBounds)
	}
	if g.access&need != need {
		return nil, nil, g.told(faultRights)
	}
	return g.bytes[off : off+n : off+n], g, faultNone
}

// told is what a peer learns of a fault. A key without any remote right is no key to
// a peer: a guess that hits one looks like a guess that hits nothing.
func (g *grant) told(f fault) fault {
	if g.access&hca.RemoteAll == 0 {
		return faultKey
	}
	return f
}
