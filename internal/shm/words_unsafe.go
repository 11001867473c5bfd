package shm

import (
	"fmt"
	"sync/atomic"
	"unsafe"
)

// Word64 returns the 64-bit word at an offset of shared memory. The offset comes from the
// caller, never from a peer; Word64 panics if it is misaligned or out of bounds.
func Word64(b []byte, off int) *atomic.Uint64 {
	return (*atomic.Uint64)(at(b, off, 8, 8))
}

// Word32 is the 32-bit word at an offset: see [Word64].
func Word32(b []byte, off int) *atomic.Uint32 {
	return (*atomic.Uint32)(at(b, off, 4, 4))
}

// SlotAt is the slot at an offset, a multiple of SlotSize: see [Word64].
func SlotAt(b []byte, off int) *Slot {
	return (*Slot)(at(b, off, SlotSize, SlotSize))
}

func at(b []byte, off, size, align int) unsafe.Pointer {
	p := unsafe.Pointer(unsafe.SliceData(b[off : off+size]))
	if uintptr(p)%uintptr(align) != 0 {
		panic(fmt.Sprintf("shm: offset %d is not a multiple of %d", off, align))
	}
	return p
}
