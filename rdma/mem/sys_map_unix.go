//go:build linux || darwin || freebsd || netbsd || openbsd || dragonfly

package mem

import (
	"unsafe"

	"golang.org/x/sys/unix"
)

const protection = unix.PROT_READ | unix.PROT_WRITE

// sysMap maps n bytes of zeros at a multiple of align; both are multiples of
// the page size, and align is a power of two.
func sysMap(n, align int) ([]byte, error) {
	room := n
	if align > PageSize() {
		room += align
	}
	p, err := unix.MmapPtr(-1, 0, nil, uintptr(room), protection, unix.MAP_ANON|unix.MAP_PRIVATE)
	if err != nil {
		return nil, err
	}
	if room > n {
		p = trim(p, room, n, align)
		adviseHuge(p, n)
	}
	return unsafe.Slice((*byte)(p), n), nil
}

// trim cuts an aligned range of n bytes out of a mapping and unmaps the rest.
func trim(p unsafe.Pointer, room, n, align int) unsafe.Pointer {
	head := int(-uintptr(p) & uintptr(align-1))
	start := unsafe.Add(p, head)
	if head > 0 {
		unix.MunmapPtr(p, uintptr(head))
	}
	if tail := room - head - n; tail > 0 {
		unix.MunmapPtr(unsafe.Add(start, n), uintptr(tail))
	}
	return start
}

// sysBlank replaces the pages of b with untouched ones, which take no memory
// until somebody writes to them, and whose addresses stay taken.
func sysBlank(b []byte) error {
	p := unsafe.Pointer(unsafe.SliceData(b))
	_, err := unix.MmapPtr(-1, 0, p, uintptr(len(b)), protection, unix.MAP_ANON|unix.MAP_PRIVATE|unix.MAP_FIXED|noReserve)
	return err
}

func sysUnmap(b []byte) {
	unix.MunmapPtr(unsafe.Pointer(unsafe.SliceData(b)), uintptr(len(b)))
}
