package mem

import "unsafe"

// sysAddress is the address of the first byte.
func sysAddress(b []byte) uintptr { return uintptr(unsafe.Pointer(unsafe.SliceData(b))) }
