package perf

import (
	"sync/atomic"
	"unsafe"
)

// wordAt is the word at an offset, a multiple of 8, of memory that the library has
// allocated.
func wordAt(b []byte, off int) *atomic.Uint64 {
	return (*atomic.Uint64)(unsafe.Pointer(unsafe.SliceData(b[off : off+8])))
}
