package pages

import "golang.org/x/sys/unix"

// populate makes the kernel fault the pages in as an access would. It has two results:
// success, or an obstacle of unknown kind: older kernels return the same error for
// missing rights and for special mappings, which can be used.
func (a *Asker) populate(from, to uint64, need Need) error {
	if a.ways.noPopulate {
		return errUnknown
	}
	for _, way := range [...]struct {
		need   Need
		advice uintptr
	}{{Read, unix.MADV_POPULATE_READ}, {Write, unix.MADV_POPULATE_WRITE}} {
		if need&way.need != 0 && advise(from, to, way.advice) != 0 {
			return errUnknown
		}
	}
	return nil
}

// present reports whether the page of addr, which is of a file, lies before the end of
// the file.
func (a *Asker) present(addr uint64) bool {
	return a.ways.noPopulate || advise(addr, addr+1, unix.MADV_POPULATE_READ) != unix.EFAULT
}

// advise is madvise for all pages of a range.
func advise(from, to uint64, advice uintptr) unix.Errno {
	from = pageStart(from)
	for {
		_, _, e := unix.Syscall(unix.SYS_MADVISE, uintptr(from), uintptr(to-from), advice)
		if e != unix.EINTR && e != unix.EAGAIN {
			return e
		}
	}
}
