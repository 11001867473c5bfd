package main

import (
	"encoding/binary"
	"errors"
	"hash/crc32"
	"hash/fnv"
)

// A slot is a checksum of what follows, the length of the key, that of the value, the version,
// the key and the value. A slot that was never used is zero.
const (
	slotSize = 256
	headSize = 16
	room     = slotSize - headSize // for key and value
)

var (
	errTorn     = errors.New("the slot changed while it was read")
	errNotFound = errors.New("no such key")
	errTooLong  = errors.New("the key is empty, or key and value are too long for a slot")
	castagnoli  = crc32.MakeTable(crc32.Castagnoli)
)

// slot is a slot's memory, or a copy of it.
type slot []byte

// compose makes a whole slot.
func compose(version uint64, key, value string) (slot, error) {
	if len(key) == 0 || len(key)+len(value) > room {
		return nil, errTooLong
	}
	s := make(slot, slotSize)
	s[4], s[5] = byte(len(key)), byte(len(value))
	binary.LittleEndian.PutUint64(s[8:], version)
	copy(s[headSize:], key)
	copy(s[headSize+len(key):], value)
	binary.LittleEndian.PutUint32(s, s.sum())
	return s, nil
}

func (s slot) sum() uint32 { return crc32.Checksum(s[4:slotSize], castagnoli) }

// read is what a copy of a slot holds. The key is empty if the slot was never used. errTorn:
// the copy has bytes of two versions.
func (s slot) read() (version uint64, key, value string, err error) {
	sum := binary.LittleEndian.Uint32(s)
	k, v := int(s[4]), int(s[5])
	if sum == 0 && k == 0 {
		return 0, "", "", nil
	}
	if k+v > room || sum != s.sum() {
		return 0, "", "", errTorn
	}
	return binary.LittleEndian.Uint64(s[8:]), string(s[headSize : headSize+k]), string(s[headSize+k : headSize+k+v]), nil
}

// A key lies in one of the few slots behind its place, so one read gets at all of them.
const (
	slots  = 1 << 12 // places
	nearby = 8
)

// place is where the slots of a key begin.
func place(key string) int {
	h := fnv.New32a()
	h.Write([]byte(key))
	return int(h.Sum32() % slots)
}

// find looks for a key in a copy of its nearby slots.
func find(copied []byte, key string) (value string, version uint64, err error) {
	err = errNotFound
	for s := slot(copied); len(s) >= slotSize; s = s[slotSize:] {
		v, k, val, bad := s[:slotSize].read()
		switch {
		case bad != nil:
			err = bad // it may be the key's
		case k == key:
			return val, v, nil
		}
	}
	return "", 0, err
}
