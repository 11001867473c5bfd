package softtest

import (
	"math/bits"
	"testing"
	"unsafe"

	"golang.org/x/sys/unix"
)

const LostPage = 4096

// Losses are what a program can do to memory that it has registered. Each takes away b from its middle on.
var Losses = []struct {
	Name  string
	Reads bool // can still be read
	File  bool // must be memory of a file
	Lose  func(t testing.TB, m *LostMemory)
}{
	{"for reading only", true, false, func(t testing.TB, m *LostMemory) { m.Protect(t, unix.PROT_READ) }},
	{"for nothing", false, false, func(t testing.TB, m *LostMemory) { m.Protect(t, unix.PROT_NONE) }},
	{"unmapped", false, false, func(t testing.TB, m *LostMemory) {
		half := m.B[len(m.B)/2:]
		if err := unix.MunmapPtr(unsafe.Pointer(&half[0]), uintptr(len(half))); err != nil {
			t.Fatal(err)
		}
	}},
	{"of a truncated file", false, true, func(t testing.TB, m *LostMemory) {
		if err := unix.Ftruncate(m.fd, int64(len(m.B)/2)); err != nil {
			t.Fatal(err)
		}
	}},
}

// LostMemory is pages of the program, half of which will be lost.
type LostMemory struct {
	B  []byte
	fd int
}

// lostAt is the address of such memory, far from where the kernel places other mappings. So nothing else
// appears in its place.
var lostAt uintptr = lostFirst

// With 32 bits the addresses between these are used again, by the time that the tests of their former memory are over.
const (
	lostFirst = 1 << (20 + bits.UintSize/32*10)
	lostLast  = lostFirst + 1<<(bits.UintSize-3)
)

func NewLostMemory(t testing.TB, n int, file bool) *LostMemory {
	t.Helper()
	m := &LostMemory{fd: -1}
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
	if lostAt > lostLast {
		lostAt = lostFirst
	}
	at := lostAt
	lostAt += uintptr(n) + LostPage
	p, err := unix.MmapPtr(m.fd, 0, pointer(at), uintptr(n), unix.PROT_READ|unix.PROT_WRITE, flags)
	if err != nil {
		t.Fatal(err)
	}
	m.B = unsafe.Slice((*byte)(p), n)
	t.Cleanup(func() {
		if err := unix.MunmapPtr(p, uintptr(n)); err != nil {
			t.Error(err)
		}
	})
	return m
}

// pointer converts an address that is not Go's.
func pointer(p uintptr) unsafe.Pointer { return *(*unsafe.Pointer)(unsafe.Pointer(&p)) }

func (m *LostMemory) Protect(t testing.TB, rights int) {
	if err := unix.Mprotect(m.B[len(m.B)/2:], rights); err != nil {
		t.Fatal(err)
	}
}
