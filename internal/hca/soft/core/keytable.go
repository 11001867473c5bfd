package core

import (
	"crypto/rand"
	"encoding/binary"
	"sync"
	"sync/atomic"

	"github.com/godapl/godapl/internal/hca"
)

// A KeyEntry is what a key stands for: a range of memory, who may use it and how.
// It is immutable; revoking it means taking it out of its table.
type KeyEntry struct {
	Key    hca.Key
	Access hca.Access
	Addr   uint64
	Bytes  []byte
	Frail  bool // an access to bytes may fault: see guard.go
	PD     *PD
	MR     *MR
	MW     *mw
	Only   *QP // endpoint windows: the one queue pair it is good on
}

// A KeyTable maps 32-bit keys to grants: 24 bits of index and 8 bits that
// change whenever an index is used again (the usual split of an iWARP STag).
// Looking up takes no lock. Indices are drawn at random: knowing keys tells
// nothing about others. A page whose last key was given back serves another
// place; who still has it in hand compares keys and finds none of its own.
type KeyTable struct {
	pages [1 << (indexBits - pageBits)]atomic.Pointer[keyPage]

	Observer KeyObserver // constant; may be nil

	mu    sync.Mutex
	used  int        // guarded by mu
	spare []*keyPage // pages that nobody has a key of; guarded by mu
}

// A KeyObserver hears of an adapter's regions and keys.
type KeyObserver interface {
	// Registered comes before the region's key is good. What it returns is kept as
	// MR.Observed.
	Registered(m *MR, mem hca.Memory) any
	// Released comes when nobody uses the region any more.
	Released(m *MR)
	// Published comes when a key has been made good. It is in its place in the table.
	Published(place *atomic.Pointer[KeyEntry])
	// Revoked comes when a key has been made bad, and before anybody waits until nobody
	// uses it.
	Revoked(k hca.Key)
}

const (
	indexBits = 24
	pageBits  = 6 // small, since nearly every key has a page of its own
	pageMask  = 1<<pageBits - 1
	maxKeys   = 1 << (indexBits - 1) // so that drawing ends soon
)

type keyPage struct {
	grants [1 << pageBits]atomic.Pointer[KeyEntry]
	taken  uint64              // guarded by KeyTable.mu
	low    [1 << pageBits]byte // of the index's latest key; guarded by KeyTable.mu
}

// Get finds the grant of a key, or nil.
func (t *KeyTable) Get(k hca.Key) *KeyEntry {
	p := t.pages[k>>(8+pageBits)].Load()
	if p == nil {
		return nil
	}
	g := p.grants[k>>8&pageMask].Load()
	if g == nil || g.Key != k {
		return nil
	}
	return g
}

// reserve draws a fresh key, never the one that its index had before as long as
// its page has lived. It means nothing until put.
func (t *KeyTable) reserve() (hca.Key, bool) {
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
func (t *KeyTable) page(k hca.Key) *keyPage {
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

func (t *KeyTable) slot(k hca.Key) *atomic.Pointer[KeyEntry] {
	return &t.pages[k>>(8+pageBits)].Load().grants[k>>8&pageMask]
}

// put makes the grant's key good.
func (t *KeyTable) put(g *KeyEntry) {
	place := t.slot(g.Key)
	place.Store(g)
	if t.Observer != nil {
		t.Observer.Published(place)
	}
}

// revoke makes a key bad at once. Accesses that found it before may still be
// under way: see PD.quiesce.
func (t *KeyTable) revoke(k hca.Key) {
	t.slot(k).Store(nil)
	if t.Observer != nil {
		t.Observer.Revoked(k)
	}
}

// Each calls f with every place of the table that has a key.
func (t *KeyTable) Each(f func(place *atomic.Pointer[KeyEntry])) {
	for i := range t.pages {
		if p := t.pages[i].Load(); p != nil {
			for j := range p.grants {
				f(&p.grants[j])
			}
		}
	}
}

// release gives the index back.
func (t *KeyTable) release(k hca.Key) {
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
	FaultNone fault = iota
	FaultKey
	FaultZone
	FaultWrap
	FaultBounds
	FaultRights
	FaultPage // the page does not allow it: see guard.go
)

// Check finds the n bytes at addr, for a peer's access that needs the remote
// right need on queue pair q.
func (t *KeyTable) Check(q *QP, k hca.Key, addr, n uint64, need hca.Access) ([]byte, *KeyEntry, fault) {
	return t.CheckIn(q.PD, q, k, addr, n, need)
}

// CheckIn is check for who knows the queue pair's domain, and would not have the
// queue pair itself brought into the cache for it.
func (t *KeyTable) CheckIn(pd *PD, q *QP, k hca.Key, addr, n uint64, need hca.Access) ([]byte, *KeyEntry, fault) {
	g := t.Get(k)
	switch {
	case g == nil:
		return nil, nil, FaultKey
	case g.PD != pd || g.Only != nil && g.Only != q:
		return nil, nil, g.told(FaultZone)
	case addr+n < addr:
		return nil, nil, g.told(FaultWrap)
	}
	off := addr - g.Addr
	if addr < g.Addr || off > uint64(len(g.Bytes)) || n > uint64(len(g.Bytes))-off {
		return nil, nil, g.told(FaultBounds)
	}
	if g.Access&need != need {
		return nil, nil, g.told(FaultRights)
	}
	return g.Bytes[off : off+n : off+n], g, FaultNone
}

// told is what a peer learns of a fault. A key without any remote right is no key to
// a peer: a guess that hits one looks like a guess that hits nothing.
func (g *KeyEntry) told(f fault) fault {
	if g.Access&hca.RemoteAll == 0 {
		return FaultKey
	}
	return f
}
