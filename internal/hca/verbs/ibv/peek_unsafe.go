package ibv

import (
	"bytes"
	"unsafe"
)

// at views the memory at an address outside the Go heap as a T. The address is
// read as a pointer, not converted: it is no Go pointer, and the checks for
// converted ones do not apply.
func at[T any, A ~uintptr](addr A) *T {
	return (*T)(*(*unsafe.Pointer)(unsafe.Pointer(&addr)))
}

// view is the slice of n Ts that begins at an address outside the Go heap.
func view[T any](addr uintptr, n int) []T {
	return unsafe.Slice(at[T](addr), n)
}

// sizeOf is the size of a T in bytes.
func sizeOf[T any]() int {
	var v T
	return int(unsafe.Sizeof(v))
}

// cString is the text up to the first zero byte.
func cString(b []byte) string {
	if i := bytes.IndexByte(b, 0); i >= 0 {
		b = b[:i]
	}
	return string(b)
}

// cStringAt copies a C string, at most max bytes of it.
func cStringAt(addr uintptr, max int) string {
	if addr == 0 {
		return ""
	}
	n := 0
	for n < max && *at[byte](addr + uintptr(n)) != 0 {
		n++
	}
	return string(view[byte](addr, n))
}
