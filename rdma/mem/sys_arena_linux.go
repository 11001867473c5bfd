package mem

import "golang.org/x/sys/unix"

// haveArenas is whether sysZero can do what it is for.
const haveArenas = true

// sysZero takes the pages of b away and leaves the mapping as it is.
func sysZero(b []byte) error { return unix.Madvise(b, unix.MADV_DONTNEED) }

// sysOrdinary has b consist of ordinary pages: in a huge one, a region would take as much as
// 512 of them, and what is freed would stay.
func sysOrdinary(b []byte) { _ = unix.Madvise(b, unix.MADV_NOHUGEPAGE) }
