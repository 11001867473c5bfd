package ibv

import (
	"unsafe"

	"golang.org/x/sys/unix"
)

// mapMemory maps zeroed memory of its own pages.
func mapMemory(size int) (uintptr, error) {
	p, err := unix.MmapPtr(-1, 0, nil, uintptr(size), unix.PROT_READ|unix.PROT_WRITE, unix.MAP_PRIVATE|unix.MAP_ANONYMOUS)
	if err != nil {
		return 0, err
	}
	return uintptr(p), nil
}

func unmapMemory(addr uintptr, size int) {
	// Unmapping what was mapped cannot fail.
	_ = unix.MunmapPtr(unsafe.Pointer(at[byte](addr)), uintptr(size))
}
