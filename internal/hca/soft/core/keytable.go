package core

import (
	"sync"
	"sync/atomic"

	"github.com/godapl/godapl/internal/hca"
	"github.com/godapl/godapl/internal/hca/soft/keynumber"
)

// A KeyEntry is what a key stands for: a range of memory and its rights. It is immutable; revoking a key
// removes its entry from the table.
type KeyEntry struct {
	Key    hca.Key
	Access hca.Access
	Addr   uint64
	Bytes  []byte
	Frail  bool // an access to Bytes may fault: see rawmem.Guard
	Hidden bool // observers do not tell others of it
	PD     *PD
	MR     *MR
	MW     *mw
	Only   *QP // endpoint windows: the only queue pair on which the key is valid
}

// A KeyTable maps 32-bit keys to entries: 24 bits of index and 8 bits that change whenever an index is reused,
// as is usual for an iWARP STag. A lookup takes no lock. Indices are random, so that known keys tell nothing
// about others. A page whose last key was released is reused at another place; a reader that still has it
// compares keys, and finds no match.
type KeyTable struct {
	pages [1 << tableBits]atomic.Pointer[keyPage]

	Observer KeyObserver  // constant; may be nil
	Looking  atomic.Int32 // how many use entries outside of gates: meanwhile no entry is reused

	mu    sync.Mutex
	used  int        // guarded by mu
	spare []*keyPage // pages without keys; guarded by mu
}

// A KeyObserver is notified of an adapter's regions and keys.
type KeyObserver interface {
	// Registered is called before the region's key becomes valid. Its result is kept as MR.Observed.
	Registered(m *MR, mem hca.Memory) any
	// Released is called when nobody uses the region any more.
	Released(m *MR)
	// Published is called when a key has become valid. place is the key's place in the table.
	Published(place *atomic.Pointer[KeyEntry])
	// Changed is called when a key stands for something else, before anybody waits for accesses to what it was.
	Changed(place *atomic.Pointer[KeyEntry])
	// Revoked is called when a key has become invalid, before anybody waits for accesses under it.
	Revoked(k hca.Key)
}

const (
	pageBits  = 6 // small, because nearly every key has a page of its own
	pageMask  = 1<<pageBits - 1
	tableMask = 1<<tableBits - 1
	maxKeys   = 1 << (tableBits + pageBits - 1) // half of the places, so that a random index is found soon
)

// pageOf is the place of a key's page.
func pageOf(k hca.Key) uint32 { return uint32(k>>(8+pageBits)) & tableMask }

type keyPage struct {
	entries [1 << pageBits]atomic.Pointer[KeyEntry]
	taken   uint64              // guarded by KeyTable.mu
	low     [1 << pageBits]byte // of the index's latest key; guarded by KeyTable.mu
}

// Get returns the entry of a key, or nil.
func (t *KeyTable) Get(k hca.Key) *KeyEntry {
	p := t.pages[pageOf(k)].Load()
	if p == nil {
		return nil
	}
	g := p.entries[k>>8&pageMask].Load()
	if g == nil || g.Key != k {
		return nil
	}
	return g
}

// reserve draws a fresh key. While its page lives, that is never the key that the index had before. The key is
// not valid until put.
func (t *KeyTable) reserve() (hca.Key, bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.used == maxKeys {
		return 0, false
	}
	for {
		k := hca.Key(keynumber.Next())
		if k == 0 || k == ^hca.Key(0) { // peers take these for "none"
			continue
		}
		p := t.page(k)
		bit := uint64(1) << (k >> 8 & pageMask)
		if last := &p.low[k>>8&pageMask]; p.taken&bit == 0 && (*last != byte(k) || p.taken == 0) { // so no page stays empty
			*last = byte(k)
			p.taken |= bit
			t.used++
			return k, true
		}
	}
}

// page makes a key's page. The caller holds t.mu.
func (t *KeyTable) page(k hca.Key) *keyPage {
	slot := &t.pages[pageOf(k)]
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

// sparePages bounds the pages that are kept for reuse.
const sparePages = 64

func (t *KeyTable) slot(k hca.Key) *atomic.Pointer[KeyEntry] {
	return &t.pages[pageOf(k)].Load().entries[k>>8&pageMask]
}

// put makes the entry's key valid.
func (t *KeyTable) put(g *KeyEntry) {
	place := t.slot(g.Key)
	place.Store(g)
	if t.Observer != nil {
		t.Observer.Published(place)
	}
}

// replace gives a valid key another entry. Accesses that found the former entry may still be under way: see
// PD.quiesce.
func (t *KeyTable) replace(g *KeyEntry) {
	place := t.slot(g.Key)
	place.Store(g)
	if t.Observer != nil {
		t.Observer.Changed(place)
	}
}

// revoke makes a key invalid at once. Accesses that found it before may still be under way: see PD.quiesce.
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
			for j := range p.entries {
				f(&p.entries[j])
			}
		}
	}
}

// release frees the key's index.
func (t *KeyTable) release(k hca.Key) {
	t.mu.Lock()
	p := t.page(k)
	p.taken &^= 1 << (k >> 8 & pageMask)
	t.used--
	if p.taken == 0 {
		t.pages[pageOf(k)].Store(nil)
		if len(t.spare) < sparePages {
			t.spare = append(t.spare, p)
		}
	}
	t.mu.Unlock()
}

// fault is the reason why an access was refused. The order of the checks is that of RFC 5041 section 7.
type fault uint8

const (
	FaultNone fault = iota
	FaultKey
	FaultZone
	FaultWrap
	FaultBounds
	FaultRights
	FaultPage // a page fault: see rawmem.Guard
)

// Check finds the n bytes at addr for a peer's access over queue pair q that needs a remote right. It is the
// whole check of such an access: key, domain, bounds, the key's rights, and what the queue pair refuses. An
// access to no bytes needs no key and no right.
func (t *KeyTable) Check(q *QP, k hca.Key, addr, n uint64, right hca.Access) ([]byte, *KeyEntry, fault) {
	if n == 0 {
		return nil, &noBytes, FaultNone
	}
	return t.CheckIn(q.PD, q, k, addr, n, q.Needs(right))
}

// noBytes is the entry of an access to no bytes.
var noBytes KeyEntry

// never is a right that no key has.
const never hca.Access = 0x80

// Needs is what the key must allow for a peer's access that needs a remote right.
func (q *QP) Needs(right hca.Access) hca.Access {
	if q.Config.Refuse&right != 0 {
		return right | never
	}
	return right
}

// CheckIn is Check for at least one byte, and for callers that already have the protection domain and what
// QP.Needs returns; it avoids a cache miss on the queue pair.
func (t *KeyTable) CheckIn(pd *PD, q *QP, k hca.Key, addr, n uint64, need hca.Access) ([]byte, *KeyEntry, fault) {
	g := t.Get(k)
	switch {
	case g == nil:
		return nil, nil, FaultKey
	case g.PD != pd || g.Only != nil && g.Only != q:
		return nil, nil, g.reported(FaultZone)
	case addr+n < addr:
		return nil, nil, g.reported(FaultWrap)
	}
	off := addr - g.Addr
	if addr < g.Addr || off > uint64(len(g.Bytes)) || n > uint64(len(g.Bytes))-off {
		return nil, nil, g.reported(FaultBounds)
	}
	if g.Access&need != need {
		return nil, nil, g.reported(FaultRights)
	}
	return g.Bytes[off : off+n : off+n], g, FaultNone
}

// reported is the fault as it is reported to the peer. A key without any remote right does not exist for a
// peer: the refusal is the same as for a key that does not exist.
func (g *KeyEntry) reported(f fault) fault {
	if g.Access&hca.RemoteAll == 0 {
		return FaultKey
	}
	return f
}
