package rsock

import (
	"encoding/binary"
	"fmt"
	"math"
)

// Entries is the length of the table that this side offers. It is what all known peers have.
const Entries = 2

// EntrySize is the bytes of an entry in a table.
const EntrySize = 16

// Entry names memory that the reader of the entry may write.
type Entry struct {
	Addr        uint64
	Key, Length uint32
}

// order is the byte order of a side.
func order(big bool) binary.ByteOrder {
	if big {
		return binary.BigEndian
	}
	return binary.LittleEndian
}

// Put stores the entry into b. The order is that of the table's owner.
func (e Entry) Put(b []byte, big bool) {
	o := order(big)
	o.PutUint64(b, e.Addr)
	o.PutUint32(b[8:], e.Key)
	o.PutUint32(b[12:], e.Length)
}

// GetEntry loads an entry from b, in the order of the table's owner.
func GetEntry(b []byte, big bool) Entry {
	o := order(big)
	return Entry{Addr: o.Uint64(b), Key: o.Uint32(b[8:]), Length: o.Uint32(b[12:])}
}

// check refuses memory that cannot be.
func (e Entry) check(what string) error {
	switch {
	case e.Length == 0:
		return fmt.Errorf("%s has no bytes", what)
	case e.Addr > math.MaxUint64-uint64(e.Length):
		return fmt.Errorf("%s of %d bytes at %#x goes beyond the last address", what, e.Length, e.Addr)
	}
	return nil
}
