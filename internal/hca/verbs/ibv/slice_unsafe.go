package ibv

import "unsafe"

// AddressOf gives the address of a slice's first byte, to be registered. The
// caller keeps the slice alive for as long as the address is used.
func AddressOf(b []byte) uintptr { return uintptr(unsafe.Pointer(unsafe.SliceData(b))) }
