package soft

import (
	"sync"
	"sync/atomic"

	"github.com/godapl/godapl/internal/shm"
)

// A board tells other processes what the adapter's keys stand for, so that they
// can reach its memory by themselves. It is a table in shared memory that this
// process writes and its peers read. What is not on it is not lost: a peer that
// finds no key there, or not what it needs, asks, and the keys themselves decide.
//
// A key has one of the boardWays records of its bucket, or none if they are
// taken. A record is good while its first word is the key, and the others do not
// change meanwhile. A reader looks at the key before and after it copies them.
type board struct {
	seg *shm.Segment

	mu   sync.Mutex
	keys []uint32 // of each record; what is in the memory is not read back
}

const (
	boardBuckets = 8192
	boardWays    = 4
	boardRecord  = 128
	boardSize    = boardBuckets * boardWays * boardRecord

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

// boardBucket is where records of a key begin.
func boardBucket(key uint32) int {
	return int(key>>8) % boardBuckets * boardWays * boardRecord
}

// openBoard gives the adapter's board, with all its keys on it.
func (p *shmPath) openBoard() (*board, error) {
	p.boardMu.Lock()
	defer p.boardMu.Unlock()
	if b := p.keys.Load(); b != nil {
		return b, nil
	}
	seg, err := shm.NewSegment("godapl-keys", boardSize, 0)
	if err != nil {
		return nil, err
	}
	b := &board{seg: seg, keys: make([]uint32, boardBuckets*boardWays)}
	p.keys.Store(b)
	p.a.keys.each(b.publish)
	return b, nil
}

// boardFD is a descriptor of the board that is good for reading only.
func (p *shmPath) boardFD() (int, error) {
	b, err := p.openBoard()
	if err != nil {
		return -1, err
	}
	return reopenReadOnly(b.seg.FD())
}

// closeBoard is for an adapter whose keys are all gone.
func (p *shmPath) closeBoard() {
	p.boardMu.Lock()
	defer p.boardMu.Unlock()
	if b := p.keys.Swap(nil); b != nil {
		_ = b.seg.Close()
	}
}

// publish enters the grant that is in its place in the table now. It may be called
// more than once.
func (b *board) publish(place *atomic.Pointer[grant]) {
	b.mu.Lock()
	defer b.mu.Unlock()
	g := place.Load()
	if g == nil || g.mr == nil {
		return
	}
	key := uint32(g.key)
	at, free := boardBucket(key), -1
	for way := range boardWays {
		switch b.keys[at/boardRecord+way] {
		case key:
			return
		case 0:
			free = way
		}
	}
	if free < 0 {
		return // peers ask
	}
	at += free * boardRecord
	only := uint64(0)
	if g.only != nil {
		if c, ok := g.only.transport().(*shmConn); ok {
			only = c.number
		} else {
			return
		}
	}
	file, offset := fileID{}, int64(0)
	if f := fileOf(g.mr); f != nil && !f.parted.Load() {
		file, offset = f.id, f.offset
	}
	own := uint64(0)
	if g.mr.own {
		own = 1
	}
	for _, w := range [...]struct {
		off int
		v   uint64
	}{
		{recAccess, uint64(g.access)}, {recAddr, g.addr}, {recLen, uint64(len(g.bytes))},
		{recBase, g.mr.grant.addr}, {recSize, uint64(len(g.mr.grant.bytes))},
		{recFile, file.inode}, {recDevice, file.device}, {recOffset, uint64(offset)},
		{recZone, g.pd.id}, {recOnly, only}, {recOwn, own},
	} {
		b.word(at + w.off).Store(w.v)
	}
	b.keys[at/boardRecord] = key
	b.word(at + recKey).Store(uint64(key))
}

// retire makes a key's record bad.
func (b *board) retire(key uint32) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if at := b.find(key); at >= 0 {
		b.word(at + recKey).Store(0)
		b.keys[at/boardRecord] = 0
	}
}

func (b *board) find(key uint32) int {
	at := boardBucket(key)
	for way := range boardWays {
		if b.keys[at/boardRecord+way] == key {
			return at + way*boardRecord
		}
	}
	return -1
}

func (b *board) word(off int) *atomic.Uint64 { return shm.Word64(b.seg.Bytes(), off) }
