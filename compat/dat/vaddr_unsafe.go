package dat

import "unsafe"

// VaddrOf is the address of the first byte, as triplets want it: in C a cast of
// the pointer. 0 without bytes. It is good while the memory is registered.
func VaddrOf(b []byte) Vaddr { return Vaddr(uintptr(unsafe.Pointer(unsafe.SliceData(b)))) }
