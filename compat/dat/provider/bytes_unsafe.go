package main

// #include "shim.h"
import "C"

import (
	"sync/atomic"
	"unsafe"
)

// Conversions of C pointers to Go types. The memory always belongs to C.

// bytesAt returns the n bytes at p; nil for NULL.
func bytesAt(p unsafe.Pointer, n int) []byte {
	if p == nil || n < 0 {
		return nil
	}
	return unsafe.Slice((*byte)(p), n)
}

// sliceAt returns the n elements at p.
func sliceAt[T any](p *T, n int) []T {
	if p == nil || n <= 0 {
		return nil
	}
	return unsafe.Slice(p, n)
}

// readable reports whether n elements are at p.
func readable[T any](p *T, n C.uint64_t) bool {
	size := C.uint64_t(unsafe.Sizeof(*p))
	return n <= maxInt/size && mapped(C.uintptr_t(uintptr(unsafe.Pointer(p))), n*size, false)
}

// handleAt reads a program's handle.
func handleAt(p unsafe.Pointer) *C.dg_handle { return (*C.dg_handle)(p) }

func pointer(h *C.dg_handle) unsafe.Pointer { return unsafe.Pointer(h) }

// pendingOf returns the flag of a dispatcher, which C reads.
func pendingOf(h *C.dg_handle) *atomic.Uint32 { return (*atomic.Uint32)(unsafe.Pointer(&h.pending)) }

// putSlot sets the slot of an endpoint. Another thread may be posting on it.
func putSlot(h *C.dg_handle, slot C.uint32_t) { atomic.StoreUint32((*uint32)(&h.slot), uint32(slot)) }

// as converts a pointer to another type.
func as[T, F any](p *F) *T { return (*T)(unsafe.Pointer(p)) }

// extra returns memory that belongs to the handle, and allocates it the first time. It
// returns nil if memory is exhausted. All threads get the same memory, also if several of
// them allocate it at a time.
func extra[T any](h *C.dg_handle) *T {
	if h == nil {
		return nil
	}
	if p := atomic.LoadPointer(&h.extra); p != nil {
		return (*T)(p)
	}
	var t T
	mine := C.calloc(1, C.size_t(unsafe.Sizeof(t)))
	if !atomic.CompareAndSwapPointer(&h.extra, nil, mine) {
		C.free(mine)
	}
	return (*T)(atomic.LoadPointer(&h.extra))
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

// address returns a handle as a number; 0 for nil.
func address(h *C.dg_handle) C.uintptr_t { return C.uintptr_t(uintptr(unsafe.Pointer(h))) }

// checked converts an address to a pointer: memory is there.
func checked(at C.uintptr_t) (p unsafe.Pointer) {
	*(*C.uintptr_t)(unsafe.Pointer(&p)) = at
	return p
}
