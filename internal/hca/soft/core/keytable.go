package core

import (
	"crypto/rand"
	"encoding/binary"
	"sync"
	"sync/atomic"

	"github.com/godapl/godapl/internal/hca"
)

// A KeyEntry is what a key stands for: a range of memory, and who may access it how. It is immutable; to revoke
// it means to take it out of its table.
type KeyEntry struct {
	Key    hca.Key
	Access hca.Access
	Addr   uint64
	Bytes  []byte
	Frail  bool // an access to Bytes may fault: see guard.go
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
	pages [1 << (indexBits - pageBits)]atomic.Pointer[keyPage]

	Observer KeyObserver // constant; may be nil

	mu    sync.Mutex
	used  int        // guarded by mu
	spare []*keyPage // pages without keys; guarded by mu
}

// A KeyObserver is told of an adapter's regions and keys.
type KeyObserver interface {
	// Registered is called before the region's key becomes valid. Its result is kept as MR.Observed.
	Registered(m *MR, mem hca.Memory) any
	// Released is called when nobody uses the region any more.
	Released(m *MR)
	// Published is called when a key has become valid. place is the key's place in the table.
	Published(place *atomic.Pointer[KeyEntry])
	// Revoked is called when a key has become invalid, before anybody waits for accesses under it.
	Revoked(k hca.Key)
}

const (
	indexBits = 24
	pageBits  = 6 // small, because nearly every key has a page of its own
	pageMask  = 1<<pageBits - 1
	maxKeys   = 1 << (indexBits - 1) // so that a random index is found soon
)

type keyPage struct {
	grants [1 << pageBits]atomic.Pointer[KeyEntry]
	taken  uint64              // guarded by KeyTable.mu
	low    [1 << pageBits]byte // of the index's latest key; guarded by KeyTable.mu
}

// Get returns the entry of a key, or nil.
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

// reserve draws a fresh key. While its page lives, that is never the key that the index had before. The key is
// not valid until put.
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

// page makes a key's page. The caller holds t.mu.
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

// sparePages bounds the pages that are kept for reuse.
const sparePages = 64

func (t *KeyTable) slot(k hca.Key) *atomic.Pointer[KeyEntry] {
	return &t.pages[k>>(8+pageBits)].Load().grants[k>>8&pageMask]
}

// put makes the entry's key valid.
func (t *KeyTable) put(g *KeyEntry) {
	place := t.slot(g.Key)
	place.Store(g)
	if t.Observer != nil {
		t.Observer.Published(place)
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
			for j := range p.grants {
				f(&p.grants[j])
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
		t.pages[k>>(8+pageBits)].Store(nil)
		if len(t.spare) < sparePages {
			t.spare = append(t.spare, p)
		}
	}
	t.mu.Unlock()
}

// fault tells why an access was refused. The order of the checks is that of RFC 5041 section 7.
type fault uint8

const (
	FaultNone fault = iota
	FaultKey
	FaultZone
	FaultWrap
	FaultBounds
	FaultRights
	FaultPage // a page fault: see guard.go
)

// Check finds the n bytes at addr for a peer's access that needs the remote right need on queue pair q.
func (t *KeyTable) Check(q *QP, k hca.Key, addr, n uint64, need hca.Access) ([]byte, *KeyEntry, fault) {
	return t.CheckIn(q.PD, q, k, addr, n, need)
}

// CheckIn is Check for callers that already have the protection domain; it avoids a cache miss on the queue
// pair.
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

// told is the fault as the peer learns it. A key without any remote right does not exist for a peer: a guess
// that hits one looks like a guess that hits nothing.
func (g *KeyEntry) told(f fault) fault {
	if g.Access&hca.RemoteAll == 0 {
		return FaultKey
	}
	return f
}
