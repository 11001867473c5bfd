package rawmem

import (
	"sync/atomic"
	"unsafe"

	"github.com/godapl/godapl/internal/hca/soft/gate"
)

// AddrOf is the address of a slice's first byte. It only identifies the memory; the slice itself keeps the
// memory alive and gives access to it.
func AddrOf(b []byte) uint64 {
	return uint64(uintptr(unsafe.Pointer(unsafe.SliceData(b))))
}

// word is the 64-bit value at the start of a slice of at least 8 bytes whose address is a multiple of 8.
func word(b []byte) *uint64 {
	return (*uint64)(unsafe.Pointer(unsafe.SliceData(b[:8])))
}

func FetchAdd(b []byte, n uint64) uint64 { return atomic.AddUint64(word(b), n) - n }

func CompareSwap(b []byte, compare, swap uint64) uint64 {
	p := word(b)
	for {
		old := atomic.LoadUint64(p)
		if old != compare || atomic.CompareAndSwapUint64(p, old, swap) {
			return old
		}
	}
}

// StoreWord copies 8 bytes to an aligned address with one store. A reader that sees it sees everything stored
// before.
func StoreWord(to, from []byte) {
	gate.StoreRelease((*atomic.Uint64)(unsafe.Pointer(word(to))), *(*uint64)(unsafe.Pointer(unsafe.SliceData(from[:8]))))
}

// LoadAt and StoreAt access 8 bytes at an offset that the caller has checked. StoreAt is StoreWord, to an
// aligned address.
func LoadAt(b []byte, off uint64) uint64 {
	return *(*uint64)(unsafe.Add(unsafe.Pointer(unsafe.SliceData(b)), off))
}

func StoreAt(b []byte, off, v uint64) {
	gate.StoreRelease((*atomic.Uint64)(unsafe.Add(unsafe.Pointer(unsafe.SliceData(b)), off)), v)
}

// putNative stores a value in the machine's byte order, as atomics do.
func putNative(b []byte, v uint64) { *(*[8]byte)(b) = *(*[8]byte)(unsafe.Pointer(&v)) }

// applyAtomic replaces the value with f of it, and returns the former value.
func applyAtomic(b []byte, f func(uint64) uint64) uint64 {
	p := word(b)
	for {
		old := atomic.LoadUint64(p)
		if atomic.CompareAndSwapUint64(p, old, f(old)) {
			return old
		}
	}
}
