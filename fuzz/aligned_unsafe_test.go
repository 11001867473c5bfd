package fuzz_test

import "unsafe"

// lineAligned is whether a slice begins a cache line, as the memory of a ring does.
func lineAligned(b []byte) bool { return uintptr(unsafe.Pointer(unsafe.SliceData(b)))%64 == 0 }
