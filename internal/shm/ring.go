package shm

import (
	"fmt"
	"sync/atomic"
)

// RingConfig is the geometry of a ring. Both sides know it beforehand: it is never read from
// shared memory.
type RingConfig struct {
	// Slots is the number of entries, a power of two from 2 to 2^20.
	Slots int
	// SlotSize is the size of a slot, a multiple of 64 bytes up to 64 KiB less 64.
	SlotSize int
}

// Layout of a ring. Each word of the head has a cache line of its own, since one side
// writes it and the other polls it. A slot begins with its stamp, so that stamp and
// data of a small entry share a cache line.
const (
	ringHead  = 0   // how many entries the consumer has given back
	ringSlots = 192 // 64 to 191 are not used

	stampSize = 8
)

// Room is how many bytes of data fit into one entry.
func (c RingConfig) Room() int { return c.SlotSize - stampSize }

// Bytes is the size of the ring in shared memory. That memory begins at a multiple of 64 and
// initially holds zeros.
func (c RingConfig) Bytes() int { return ringSlots + c.Slots*c.SlotSize }

func (c RingConfig) check(op string, have int) error {
	if c.Slots < 2 || c.Slots > 1<<20 || c.Slots&(c.Slots-1) != 0 || c.SlotSize < 64 || c.SlotSize%64 != 0 || c.SlotSize >= 1<<16 || have < c.Bytes() {
		return fail(op, ErrInvalid, fmt.Sprintf("%d slots of %d bytes in %d bytes", c.Slots, c.SlotSize, have), nil)
	}
	return nil
}

// An Entry is what a ring carries beside the data. The users of a ring define the
// kinds.
type Entry struct {
	Kind, Flags uint8
	Len         int // of the data
}

// The stamp of a slot is one word, so it is read and written whole:
//
//	bits 0-31   the entry's number, counted from 1 on
//	bits 32-47  length of the data
//	bits 48-55  kind
//	bits 56-63  flags
//
// The consumer knows which number is due in a slot. Before it arrives, the slot holds
// the entry that was consumed there one lap before, or 0 in the first lap. No producer
// writes any other number.
func stamp(n uint64, e Entry) uint64 {
	return uint64(uint32(n+1)) | uint64(e.Len)<<32 | uint64(e.Kind)<<48 | uint64(e.Flags)<<56
}

func unstamp(s uint64) Entry {
	return Entry{Kind: uint8(s >> 48), Flags: uint8(s >> 56), Len: int(s >> 32 & 0xffff)}
}

// geometry locates the slots for both sides.
type geometry struct {
	slots  []byte // of shared memory, just the slots
	size   uint64
	mask   uint64
	head   *atomic.Uint64
	config RingConfig
}

func (g *geometry) init(op string, mem []byte, c RingConfig) error {
	if err := c.check(op, len(mem)); err != nil {
		return err
	}
	*g = geometry{
		slots:  mem[ringSlots:c.Bytes():c.Bytes()],
		size:   uint64(c.SlotSize),
		mask:   uint64(c.Slots - 1),
		head:   Word64(mem, ringHead),
		config: c,
	}
	return nil
}

// data returns the place for the data of entry number n, modulo the number of slots.
func (g *geometry) data(n uint64) []byte {
	off := (n & g.mask) * g.size
	return g.slots[off+stampSize : off+g.size : off+g.size]
}
