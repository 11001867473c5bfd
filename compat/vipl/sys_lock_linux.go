package vipl

import (
	"os"

	"golang.org/x/sys/unix"
)

var pageSize = os.Getpagesize()

// lockPages keeps pages in memory. The call has addresses, not a slice: the pages may be
// partly outside of any object of Go.
func lockPages(from, to uint64) bool {
	_, _, e := unix.Syscall(unix.SYS_MLOCK, uintptr(from), uintptr(to-from), 0)
	return e == 0
}

func unlockPages(from, to uint64) {
	_, _, _ = unix.Syscall(unix.SYS_MUNLOCK, uintptr(from), uintptr(to-from), 0)
}
