package keydir

import (
	"sync"
	"sync/atomic"

	"github.com/godapl/godapl/internal/shm"
)

// A Directory is the table that this process writes. Its methods may run concurrently.
type Directory struct {
	seg *shm.Segment

	mu    sync.Mutex
	words []uint64 // first word of each record; the shared memory is never read back
	last  uint64   // generation
}

// New makes an empty directory.
func New() (*Directory, error) {
	seg, err := shm.NewSegment("godapl-keys", Size, 0)
	if err != nil {
		return nil, err
	}
	return &Directory{seg: seg, words: make([]uint64, buckets*ways)}, nil
}

// FD is the descriptor of the table's memory. Close closes it.
func (d *Directory) FD() int      { return d.seg.FD() }
func (d *Directory) Close() error { return d.seg.Close() }

// Record is the memory of a key's record, for tests that damage it; nil if there is none.
func (d *Directory) Record(key uint32) []byte {
	d.mu.Lock()
	defer d.mu.Unlock()
	if at := d.find(key, key); at >= 0 {
		return d.seg.Bytes()[at : at+recordSize]
	}
	return nil
}

// An Entry gives a key and what it stands for now; false if it stands for nothing. It is called with the directory
// locked.
type Entry func() (key uint32, r Record, ok bool)

// Publish enters a key, unless it is there or its bucket is full.
func (d *Directory) Publish(entry Entry) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if key, r, ok := entry(); ok && d.find(key, key) < 0 {
		if at := d.find(key, 0); at >= 0 {
			d.write(at, key, &r)
		}
	}
}

// Change writes a key's record again, if the key is there.
func (d *Directory) Change(entry Entry) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if key, r, ok := entry(); ok {
		if at := d.find(key, key); at >= 0 {
			d.write(at, key, &r)
		}
	}
}

// Suspend has peers that need a key wait until its record is written again.
func (d *Directory) Suspend(key uint32) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if at := d.find(key, key); at >= 0 {
		d.set(at, key, changing)
	}
}

// Retire takes a key out.
func (d *Directory) Retire(key uint32) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if at := d.find(key, key); at >= 0 {
		d.set(at, 0, 0)
	}
}

// Current returns the first word of a key's record; 0 if there is none.
func (d *Directory) Current(key uint32) uint64 {
	d.mu.Lock()
	defer d.mu.Unlock()
	if at := d.find(key, key); at >= 0 {
		return d.words[at/recordSize]
	}
	return 0
}

// write writes a record.
func (d *Directory) write(at int, key uint32, r *Record) {
	d.set(at, key, changing)
	for _, f := range [...]struct {
		off int
		v   uint64
	}{
		{atAccess, r.Access}, {atAddr, r.Addr}, {atLen, r.Len}, {atBase, r.Base}, {atSize, r.Size}, {atFile, r.File},
		{atDevice, r.Device}, {atOffset, r.Offset}, {atZone, r.Zone}, {atOnly, r.Only}, {atOwn, r.Own},
	} {
		d.word(at + f.off).Store(f.v)
	}
	if d.last++; uint32(d.last) == changing {
		d.last++
	}
	d.set(at, key, d.last)
}

// set writes the first word of a record.
func (d *Directory) set(at int, key uint32, generation uint64) {
	word := generation<<32 | uint64(key)
	d.words[at/recordSize] = word
	d.word(at).Store(word)
}

func (d *Directory) word(off int) *atomic.Uint64 { return shm.Word64(d.seg.Bytes(), off) }

// find looks in the bucket of a key for a record of the key has, and returns its place, or -1. Key 0: a free record.
func (d *Directory) find(key, has uint32) int {
	at := bucket(key)
	for way := range ways {
		if Key(d.words[at/recordSize+way]) == has {
			return at + way*recordSize
		}
	}
	return -1
}
