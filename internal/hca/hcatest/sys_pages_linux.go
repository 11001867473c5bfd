package hcatest

import (
	"os"

	"golang.org/x/sys/unix"
)

// mappedPages maps n pages, of which the first are readable and writable: one, or as
// many as open says. The others are read-only if open is not 0, else inaccessible.
func mappedPages(t TB, n, open int) []byte {
	page := os.Getpagesize()
	b, err := unix.Mmap(-1, 0, n*page, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_ANON|unix.MAP_PRIVATE)
	if err != nil {
		t.Fatalf("%d pages: %v", n, err)
	}
	rights := unix.PROT_READ
	if open == 0 {
		rights = unix.PROT_NONE
	}
	if err := unix.Mprotect(b[open*page:], rights); err != nil {
		t.Fatalf("the rights of %d pages: %v", n-open, err)
	}
	t.Cleanup(func() { _ = unix.Munmap(b) })
	return b
}
