package shm

import (
	"sync/atomic"
	"unsafe"

	"golang.org/x/sys/unix"
)

// sysDetach maps the same part of the file again, over the old mapping and
// copy-on-write. The kernel replaces a mapping under its lock, so a store of this
// process goes to either mapping, and both show the same page until the first write.
// The loop then writes to every page, with an atomic operation that changes nothing.
func sysDetach(b []byte, fd int, off int64, page int) error {
	p := unsafe.Pointer(unsafe.SliceData(b))
	_, err := unix.MmapPtr(fd, off, p, uintptr(len(b)), unix.PROT_READ|unix.PROT_WRITE, unix.MAP_PRIVATE|unix.MAP_FIXED)
	if err != nil {
		return mmapError("detach", len(b), err)
	}
	for i := 0; i < len(b); i += page {
		atomic.AddUint32((*uint32)(unsafe.Add(p, i)), 0)
	}
	return nil
}
