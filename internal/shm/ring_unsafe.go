package shm

import (
	"sync/atomic"
	"unsafe"
)

// stamp is the first word of the slot of entry number n. It is aligned, since the head
// is and slots are whole cache lines.
func (g *geometry) stamp(n uint64) *atomic.Uint64 {
	off := (n & g.mask) * g.size
	return (*atomic.Uint64)(unsafe.Pointer(unsafe.SliceData(g.slots[off : off+stampSize])))
}

// second is a word in the second cache line of the slot of entry number n, or in its
// only one.
func (g *geometry) second(n uint64) *atomic.Uint64 {
	off := (n&g.mask)*g.size + min(64, g.size-stampSize)
	return (*atomic.Uint64)(unsafe.Pointer(unsafe.SliceData(g.slots[off : off+8])))
}
