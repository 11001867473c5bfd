package main

// #include "shim.h"
import "C"

import (
	"sync/atomic"
	"unsafe"
)

// Pointers of C as Go has them. The memory is C's in each case.

// bytesAt is n bytes at p. It is nil for NULL.
func bytesAt(p unsafe.Pointer, n int) []byte {
	if p == nil || n < 0 {
		return nil
	}
	return unsafe.Slice((*byte)(p), n)
}

// sliceAt is n elements at p.
func sliceAt[T any](p *T, n int) []T {
	if p == nil || n <= 0 {
		return nil
	}
	return unsafe.Slice(p, n)
}

// handleAt reads a program's handle.
func handleAt(p unsafe.Pointer) *C.dg_handle { return (*C.dg_handle)(p) }

func pointer(h *C.dg_handle) unsafe.Pointer { return unsafe.Pointer(h) }

// pendingOf is the flag of a dispatcher, which C reads.
func pendingOf(h *C.dg_handle) *atomic.Uint32 { return (*atomic.Uint32)(unsafe.Pointer(&h.pending)) }

// putSlot sets the slot of an endpoint, which may be posting.
func putSlot(h *C.dg_handle, slot C.uint32_t) { atomic.StoreUint32((*uint32)(&h.slot), uint32(slot)) }

// as is a pointer to something of another type.
func as[T, F any](p *F) *T { return (*T)(unsafe.Pointer(p)) }

// extra is memory that goes with the handle, made once. It is nil without any.
func extra[T any](h *C.dg_handle) *T {
	if h == nil {
		return nil
	}
	if h.extra == nil {
		var t T
		h.extra = C.calloc(1, C.size_t(unsafe.Sizeof(t)))
	}
	return (*T)(h.extra)
}

// text copies s into a field of C, which ends with a zero.
func text(to []C.char, s string) {
	n := copy(unsafe.Slice((*byte)(unsafe.Pointer(&to[0])), len(to)-1), s)
	to[n] = 0
}

// putPointer sets an output that may be NULL.
func putPointer(to *unsafe.Pointer, h *C.dg_handle) {
	if to != nil {
		*to = unsafe.Pointer(h)
	}
}

// smallHandle is a number that the interface has instead of a handle.
func smallHandle(n uintptr) (p unsafe.Pointer) {
	*(*uintptr)(unsafe.Pointer(&p)) = n
	return p
}
