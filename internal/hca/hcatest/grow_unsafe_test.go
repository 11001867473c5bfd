package hcatest_test

import "unsafe"

// grow is b with n bytes before and behind it, which the suite's guard bytes
// make safe.
func grow(b []byte, n int) []byte {
	return unsafe.Slice((*byte)(unsafe.Add(unsafe.Pointer(&b[0]), -n)), len(b)+2*n)
}
