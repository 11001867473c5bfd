//go:build !(linux || darwin || freebsd || netbsd || openbsd || dragonfly)

package mem

import "unsafe"

// sysMap has no mmap here, and takes memory of the Go heap: n bytes at a
// multiple of align. The heap does not move, and the collector keeps the memory
// for as long as anybody holds a slice of it.
func sysMap(n, align int) ([]byte, error) {
	b := make([]byte, n+align)
	head := int(-uintptr(unsafe.Pointer(unsafe.SliceData(b))) & uintptr(align-1))
	return b[head : head+n : head+n], nil
}

// sysBlank: late uses see the old bytes, which no other region gets.
func sysBlank([]byte) error { return nil }

func sysUnmap([]byte) {}
