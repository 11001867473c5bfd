package soft_test

import (
	"testing"
	"unsafe"

	"golang.org/x/sys/unix"
)

const lostPage = 4096

// losses are what a program can do to memory that it has registered. Each takes b from
// the middle on.
var losses = []struct {
	name  string
	reads bool // can still be read
	file  bool // has to be of a file
	lose  func(t testing.TB, m *lostMemory)
}{
	{"for reading only", true, false, func(t testing.TB, m *lostMemory) { m.protect(t, unix.PROT_READ) }},
	{"for nothing", false, false, func(t testing.TB, m *lostMemory) { m.protect(t, unix.PROT_NONE) }},
	{"unmapped", false, false, func(t testing.TB, m *lostMemory) {
		half := m.b[len(m.b)/2:]
		if _, _, e := unix.Syscall(unix.SYS_MUNMAP, uintptr(unsafe.Pointer(&half[0])), uintptr(len(half)), 0); e != 0 {
			t.Fatal(e)
		}
	}},
	{"of a truncated file", false, true, func(t testing.TB, m *lostMemory) {
		if err := unix.Ftruncate(m.fd, int64(len(m.b)/2)); err != nil {
			t.Fatal(err)
		}
	}},
}

// lostMemory is pages of the program, half of which will be lost.
type lostMemory struct {
	b  []byte
	fd int
}

// lostAt is where such memory lies, far from where the kernel puts what has no place of
// its own. So nothing else appears where it was.
var lostAt uintptr = 0x100_0000_0000

func newLostMemory(t testing.TB, n int, file bool) *lostMemory {
	t.Helper()
	m := &lostMemory{fd: -1}
	flags := unix.MAP_FIXED_NOREPLACE | unix.MAP_PRIVATE | unix.MAP_ANON
	if file {
		fd, err := unix.MemfdCreate("lost", unix.MFD_CLOEXEC)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { unix.Close(fd) })
		if err := unix.Ftruncate(fd, int64(n)); err != nil {
			t.Fatal(err)
		}
		m.fd, flags = fd, unix.MAP_FIXED_NOREPLACE|unix.MAP_SHARED
	}
	at := lostAt
	lostAt += uintptr(n) + lostPage
	p, _, e := unix.Syscall6(unix.SYS_MMAP, at, uintptr(n), unix.PROT_READ|unix.PROT_WRITE, uintptr(flags), uintptr(m.fd), 0)
	if e != 0 {
		t.Fatal(e)
	}
	m.b = unsafe.Slice((*byte)(pointer(p)), n)
	t.Cleanup(func() {
		if _, _, e := unix.Syscall(unix.SYS_MUNMAP, p, uintptr(n), 0); e != 0 {
			t.Error(e)
		}
	})
	return m
}

// pointer is an address that is none of Go's.
func pointer(p uintptr) unsafe.Pointer { return *(*unsafe.Pointer)(unsafe.Pointer(&p)) }

func (m *lostMemory) protect(t testing.TB, rights int) {
	if err := unix.Mprotect(m.b[len(m.b)/2:], rights); err != nil {
		t.Fatal(err)
	}
}
