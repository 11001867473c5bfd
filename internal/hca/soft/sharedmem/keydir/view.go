package keydir

import (
	"sync/atomic"

	"github.com/godapl/godapl/internal/shm"
)

// Find returns the first word of a key's record in a peer's table, and where it lies; nil if there is none.
func Find(table []byte, key uint32) (first *atomic.Uint64, word uint64) {
	first, word, _ = find(table, key)
	return first, word
}

func find(table []byte, key uint32) (first *atomic.Uint64, word uint64, at int) {
	at = bucket(key)
	for range ways {
		first = shm.Word64(table, at)
		if word = first.Load(); Key(word) == key && key != 0 {
			return first, word, at
		}
		at += recordSize
	}
	return nil, 0, -1
}

// Read copies a key's record from a peer's table. The peer chose every number in it. ok is false if there is no valid
// one. It stays valid as long as first holds word.
func (r *Record) Read(table []byte, key uint32) (first *atomic.Uint64, word uint64, ok bool) {
	first, word, at := find(table, key)
	if first == nil || Changing(word) {
		return nil, 0, false
	}
	field := func(off int) uint64 { return shm.Word64(table, at+off).Load() }
	*r = Record{
		Access: field(atAccess), Addr: field(atAddr), Len: field(atLen), Base: field(atBase), Size: field(atSize), File: field(atFile),
		Device: field(atDevice), Offset: field(atOffset), Zone: field(atZone), Only: field(atOnly), Own: field(atOwn),
	}
	return first, word, first.Load() == word
}
