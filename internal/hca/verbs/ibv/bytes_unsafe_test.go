package ibv_test

import "unsafe"

// bytesAt is memory outside the Go heap.
func bytesAt(addr uintptr, n int) []byte {
	return unsafe.Slice((*byte)(*(*unsafe.Pointer)(unsafe.Pointer(&addr))), n)
}
