package soft

import (
	"sync/atomic"
	"unsafe"
)

// addrOf is the address of a slice's first octet. It is used as a name for the
// memory only; the slice itself is what keeps and reaches it.
func addrOf(b []byte) uint64 {
	return uint64(uintptr(unsafe.Pointer(unsafe.SliceData(b))))
}

// word is the 64-bit value that begins a slice of at least 8 octets whose
// address is a multiple of 8.
func word(b []byte) *uint64 {
	return (*uint64)(unsafe.Pointer(unsafe.SliceData(b[:8])))
}

func fetchAdd(b []byte, n uint64) uint64 { return atomic.AddUint64(word(b), n) - n }

func compareSwap(b []byte, compare, swap uint64) uint64 {
	p := word(b)
	for {
		old := atomic.LoadUint64(p)
		if old != compare || atomic.CompareAndSwapUint64(p, old, swap) {
			return old
		}
	}
}

// storeWord copies 8 octets to an aligned address, with one store that everything
// stored before is visible with.
func storeWord(to, from []byte) {
	storeRelease((*atomic.Uint64)(unsafe.Pointer(word(to))), *(*uint64)(unsafe.Pointer(unsafe.SliceData(from[:8]))))
}

// loadAt and storeAt are 8 octets at an offset, which the caller has checked; storeAt is
// storeWord, of an aligned address.
func loadAt(b []byte, off uint64) uint64 {
	return *(*uint64)(unsafe.Add(unsafe.Pointer(unsafe.SliceData(b)), off))
}

func storeAt(b []byte, off, v uint64) {
	storeRelease((*atomic.Uint64)(unsafe.Add(unsafe.Pointer(unsafe.SliceData(b)), off)), v)
}

// putNative stores a value in the machine's own byte order, as atomics do.
func putNative(b []byte, v uint64) { *(*[8]byte)(b) = *(*[8]byte)(unsafe.Pointer(&v)) }

// applyAtomic replaces the value by f of it, and returns the former one.
func applyAtomic(b []byte, f func(uint64) uint64) uint64 {
	p := word(b)
	for {
		old := atomic.LoadUint64(p)
		if atomic.CompareAndSwapUint64(p, old, f(old)) {
			return old
		}
	}
}
