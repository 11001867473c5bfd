package sharedmem

import (
	"sync"
	"sync/atomic"

	"github.com/godapl/godapl/internal/hca/soft/core"
	"github.com/godapl/godapl/internal/shm"
)

// A keyDirectory tells other processes what the adapter's keys stand for, so that they
// can reach its memory by themselves. It is a table in shared memory that this
// process writes and its peers read. What is not on it is not lost: a peer that
// finds no key there, or not what it needs, asks, and the keys themselves decide.
//
// A key has one of the directoryWays records of its bucket, or none if they are
// taken. A record is good while its first word is the key, and the others do not
// change meanwhile. A reader looks at the key before and after it copies them.
type keyDirectory struct {
	seg *shm.Segment

	mu   sync.Mutex
	keys []uint32 // of each record; what is in the memory is not read back
}

const (
	directoryBuckets = 8192
	directoryWays    = 4
	recordSize       = 128
	directorySize    = directoryBuckets * directoryWays * recordSize

	// Offsets of a record's words.
	recKey    = 0
	recAccess = 8
	recAddr   = 16 // of what the key covers
	recLen    = 24
	recBase   = 32 // of its region
	recSize   = 40
	recFile   = 48 // the inode of what the region can be mapped from; 0: nothing
	recOffset = 56
	recZone   = 64
	recOnly   = 72 // the one connection on which the key is good; 0: all
	recDevice = 80 // where the inode is one
	recOwn    = 88 // not 0: the library's memory, which is written to by who maps it and by its owner
)

// recordsOf is where records of a key begin.
func recordsOf(key uint32) int {
	return int(key>>8) % directoryBuckets * directoryWays * recordSize
}

// publish enters the grant that is in its place in the table now. It may be called
// more than once.
func (b *keyDirectory) publish(place *atomic.Pointer[core.KeyEntry]) {
	b.mu.Lock()
	defer b.mu.Unlock()
	g := place.Load()
	if g == nil || g.MR == nil {
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
		return // peers ask
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
	if f := fileOf(g.MR); f != nil && !f.parted.Load() {
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
		{recBase, g.MR.Grant.Addr}, {recSize, uint64(len(g.MR.Grant.Bytes))},
		{recFile, file.inode}, {recDevice, file.device}, {recOffset, uint64(offset)},
		{recZone, g.PD.ID}, {recOnly, only}, {recOwn, own},
	} {
		b.word(at + w.off).Store(w.v)
	}
	b.keys[at/recordSize] = key
	b.word(at + recKey).Store(uint64(key))
}

// retire makes a key's record bad.
func (b *keyDirectory) retire(key uint32) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if at := b.find(key); at >= 0 {
		b.word(at + recKey).Store(0)
		b.keys[at/recordSize] = 0
	}
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
