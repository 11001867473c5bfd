package sharedmem

import (
	"sync"
	"sync/atomic"

	"github.com/godapl/godapl/internal/hca"
	"github.com/godapl/godapl/internal/hca/soft/core"
	"github.com/godapl/godapl/internal/shm"
)

// A keyDirectory tells other processes what the adapter's keys stand for, so that they can access its memory
// directly. It is a table in shared memory that this process writes and its peers read. A missing entry costs
// only speed: a peer that does not find a key, or not the right it needs, sends a request, and the key table
// decides.
//
// A key has one of the directoryWays records of its bucket, or none if all are in use. A record is valid while
// its first word is the key and the other words do not change meanwhile. A reader compares the key before and
// after it copies the record.
type keyDirectory struct {
	seg *shm.Segment

	mu   sync.Mutex
	keys []uint32 // key of each record; the shared memory is never read back
}

const (
	directoryBuckets = 8192
	directoryWays    = 4
	recordSize       = 128
	directorySize    = directoryBuckets * directoryWays * recordSize

	// Byte offsets in a record.
	recKey    = 0
	recAccess = 8
	recAddr   = 16 // start of what the key covers
	recLen    = 24
	recBase   = 32 // start of its region
	recSize   = 40
	recFile   = 48 // inode of the file from which the region can be mapped; 0: none
	recOffset = 56
	recZone   = 64
	recOnly   = 72 // the only connection on which the key is valid; 0: all
	recDevice = 80 // device of the inode
	recOwn    = 88 // not 0: the library's own memory, which both its owner and a peer that maps it may write
)

// recordsOf is the offset of the first record of a key's bucket.
func recordsOf(key uint32) int {
	return int(key>>8) % directoryBuckets * directoryWays * recordSize
}

// publish enters the table's current entry at place. It may be called repeatedly.
func (b *keyDirectory) publish(place *atomic.Pointer[core.KeyEntry]) {
	b.mu.Lock()
	defer b.mu.Unlock()
	g := place.Load()
	if g == nil || g.MR == nil || g.Changed { // a peer that has the key's first rights would find them valid again
		return
	}
	key := uint32(g.Key)
	at, free := recordsOf(key), -1
	for way := range directoryWays {
		switch b.keys[at/recordSize+way] {
		case key:
			return
		case 0:
			free = way
		}
	}
	if free < 0 {
		return // peers send requests instead
	}
	at += free * recordSize
	only := uint64(0)
	if g.Only != nil {
		if c, ok := g.Only.Transport().(*Conn); ok {
			only = c.number
		} else {
			return
		}
	}
	file, offset := fileID{}, int64(0)
	if f := fileOf(g.MR); f != nil && !f.detached.Load() {
		file, offset = f.id, f.offset
	}
	own := uint64(0)
	if g.MR.Own {
		own = 1
	}
	for _, w := range [...]struct {
		off int
		v   uint64
	}{
		{recAccess, uint64(g.Access)}, {recAddr, g.Addr}, {recLen, uint64(len(g.Bytes))},
		{recBase, g.MR.Entry.Addr}, {recSize, uint64(len(g.MR.Entry.Bytes))},
		{recFile, file.inode}, {recDevice, file.device}, {recOffset, uint64(offset)},
		{recZone, g.PD.ID}, {recOnly, only}, {recOwn, own},
	} {
		b.word(at + w.off).Store(w.v)
	}
	b.keys[at/recordSize] = key
	b.word(at + recKey).Store(uint64(key))
}

// retire invalidates a key's record.
func (b *keyDirectory) retire(key uint32) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if at := b.find(key); at >= 0 {
		b.word(at + recKey).Store(0)
		b.keys[at/recordSize] = 0
	}
}

// lists reports whether peers find the segment's key in the directory: it is not there if its bucket was full, or
// if the key has changed.
func (p *Path) lists(s hca.Segment) bool {
	if s.Len == 0 {
		return true
	}
	b := p.directory.Load()
	if b == nil {
		return false
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.find(uint32(s.Key)) >= 0
}

func (b *keyDirectory) find(key uint32) int {
	at := recordsOf(key)
	for way := range directoryWays {
		if b.keys[at/recordSize+way] == key {
			return at + way*recordSize
		}
	}
	return -1
}

func (b *keyDirectory) word(off int) *atomic.Uint64 { return shm.Word64(b.seg.Bytes(), off) }
