package mem_test

import (
	"errors"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/godapl/godapl/internal/hca"
	"github.com/godapl/godapl/rdma/mem"
)

// TestCopiesOfLostPages: ReadAt and WriteAt return an error where the program's pages do
// not allow the copy any more.
func TestCopiesOfLostPages(t *testing.T) {
	page := mem.PageSize()
	b, err := unix.Mmap(-1, 0, 2*page, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_ANON|unix.MAP_PRIVATE)
	if err != nil {
		t.Fatal(err)
	}
	defer unix.Munmap(b)
	d, _ := newDomain(t)
	r, err := d.Register(b, mem.All)
	if err != nil {
		t.Fatal(err)
	}
	if err := unix.Mprotect(b[page:], unix.PROT_READ); err != nil {
		t.Fatal(err)
	}
	p := make([]byte, 100)
	if n, err := r.ReadAt(p, int64(page)); n != len(p) || err != nil {
		t.Errorf("what can be read: %d, %v", n, err)
	}
	if _, err := r.WriteAt(p, int64(page)-50); !errors.Is(err, hca.Privileges) {
		t.Errorf("WriteAt: %v", err)
	}
	if err := unix.Mprotect(b[page:], unix.PROT_NONE); err != nil {
		t.Fatal(err)
	}
	if _, err := r.ReadAt(p, int64(page)-50); !errors.Is(err, hca.Privileges) {
		t.Errorf("ReadAt: %v", err)
	}
	if n, err := r.ReadAt(p, int64(page)-100); n != len(p) || err != nil {
		t.Errorf("before it: %d, %v", n, err)
	}
	if err := r.Free(); err != nil {
		t.Error(err)
	}
}
