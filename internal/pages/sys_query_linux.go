package pages

import (
	"unsafe"

	"golang.org/x/sys/unix"
)

// procmapQuery is struct procmap_query of linux/fs.h.
type procmapQuery struct {
	size, flags, addr         uint64
	start, end, rights        uint64
	pageSize, offset, inode   uint64
	major, minor              uint32
	nameSize, buildIDSize     uint32
	nameBuffer, buildIDBuffer uint64
}

const (
	// ioctlProcmapQuery is _IOWR('f', 17, struct procmap_query).
	ioctlProcmapQuery = 3<<30 | uintptr(unsafe.Sizeof(procmapQuery{}))<<16 | 'f'<<8 | 17

	// Bits of the answer's rights.
	queryReadable = 1
	queryWritable = 2
)

// query looks up mapping after mapping.
func (a *Asker) query(from, to uint64, need Need) error {
	if a.ways.noQuery {
		return errUnknown
	}
	a.mu.RLock()
	defer a.mu.RUnlock()
	if !a.opened {
		a.mu.RUnlock()
		a.open()
		a.mu.RLock()
	}
	if a.fd < 0 {
		return errUnknown
	}
	for at := from; at < to; {
		q := procmapQuery{size: uint64(unsafe.Sizeof(procmapQuery{})), addr: at}
		_, _, e := unix.Syscall(unix.SYS_IOCTL, uintptr(a.fd), ioctlProcmapQuery, uintptr(unsafe.Pointer(&q)))
		switch {
		case e == unix.ENOENT:
			return &Refusal{pageStart(at), notMapped}
		case e != 0 || q.end <= at:
			return errUnknown
		}
		if why := need.lacks(q.rights&queryReadable != 0, q.rights&queryWritable != 0); why != "" {
			return &Refusal{pageStart(at), why}
		}
		at = min(q.end, to)
		if q.inode != 0 && !a.present(at-1) {
			return &Refusal{pageStart(at - 1), noFile}
		}
	}
	return nil
}
