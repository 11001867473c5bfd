package pages_test

import (
	"errors"
	"strings"
	"testing"
	"unsafe"

	"golang.org/x/sys/unix"

	"github.com/godapl/godapl/internal/pages"
)

const page = 4096

func mapped(t testing.TB, n, rights int) []byte {
	t.Helper()
	b, err := unix.Mmap(-1, 0, n, rights, unix.MAP_ANON|unix.MAP_PRIVATE)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = unix.Munmap(b) })
	return b
}

func protect(t testing.TB, b []byte, rights int) {
	t.Helper()
	if err := unix.Mprotect(b, rights); err != nil {
		t.Fatal(err)
	}
}

// ofFile is n bytes of a file that is cut off after left.
func ofFile(t testing.TB, n, left int) []byte {
	t.Helper()
	fd, err := unix.MemfdCreate("test", unix.MFD_CLOEXEC)
	if err != nil {
		t.Fatal(err)
	}
	defer unix.Close(fd)
	if err := unix.Ftruncate(fd, int64(left)); err != nil {
		t.Fatal(err)
	}
	b, err := unix.Mmap(fd, 0, n, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = unix.Munmap(b) })
	return b
}

// hole is three pages without the middle one.
func hole(t testing.TB) []byte {
	b := mapped(t, 3*page, unix.PROT_READ|unix.PROT_WRITE)
	if _, _, e := unix.Syscall(unix.SYS_MUNMAP, uintptr(unsafe.Pointer(&b[page])), page, 0); e != 0 {
		t.Fatal(e)
	}
	t.Cleanup(func() { // unmap it all at the end; no other mapping can have taken the hole's place
		p := unsafe.Pointer(&b[page])
		if _, err := unix.MmapPtr(-1, 0, p, page, unix.PROT_NONE, unix.MAP_ANON|unix.MAP_PRIVATE|unix.MAP_FIXED); err != nil {
			t.Error(err)
		}
	})
	return b
}

const constant = "read only, as constants are"

// TestCheck: each way tells what the pages allow.
func TestCheck(t *testing.T) {
	const rw = unix.PROT_READ | unix.PROT_WRITE
	for _, c := range []struct {
		name        string
		make        func(t testing.TB) []byte
		read, write string // what the refusal says; "": none
		file        bool   // needs MADV_POPULATE_READ
	}{
		{"Go's heap", func(testing.TB) []byte { return make([]byte, page) }, "", "", false},
		{"Go's stack", func(testing.TB) []byte { var b [64]byte; return b[:] }, "", "", false},
		{"a large slice", func(testing.TB) []byte { return make([]byte, 5<<20) }, "", "", false},
		{"a constant", func(testing.TB) []byte { return unsafe.Slice(unsafe.StringData(constant), len(constant)) }, "", "reading only", false},
		{"a mapping", func(t testing.TB) []byte { return mapped(t, 3*page, rw) }, "", "", false},
		{"for reading only", func(t testing.TB) []byte { return mapped(t, 3*page, unix.PROT_READ) }, "", "reading only", false},
		{"for nothing", func(t testing.TB) []byte { return mapped(t, page, unix.PROT_NONE) }, "no access", "no access", false},
		{"the last page for reading only", func(t testing.TB) []byte {
			b := mapped(t, 3*page, rw)
			protect(t, b[2*page:], unix.PROT_READ)
			return b[100 : 2*page+1]
		}, "", "reading only", false},
		{"up to what is for reading only", func(t testing.TB) []byte {
			b := mapped(t, 3*page, rw)
			protect(t, b[2*page:], unix.PROT_READ)
			return b[100 : 2*page]
		}, "", "", false},
		{"a hole", hole, "not mapped", "not mapped", false},
		{"up to the hole", func(t testing.TB) []byte { return hole(t)[:page] }, "", "", false},
		{"a file", func(t testing.TB) []byte { return ofFile(t, 3*page, 3*page) }, "", "", false},
		{"a file that ends in its last page", func(t testing.TB) []byte { return ofFile(t, 3*page, 2*page+1) }, "", "", false},
		{"a file that is cut off", func(t testing.TB) []byte { return ofFile(t, 3*page, 2*page) }, "end of its file", "end of its file", true},
	} {
		for way, a := range pages.Ways() {
			t.Run(way+"/"+c.name, func(t *testing.T) {
				defer a.Close()
				b := c.make(t)
				if at := uint64(uintptr(unsafe.Pointer(&b[0]))); !a.Asks(at, at+1) {
					t.Skip("this kernel does not have PROCMAP_QUERY (Linux 6.11)")
				}
				if way == "text" && c.file {
					return // it does not look for the end of a file
				}
				for need, want := range map[pages.Need]string{pages.Read: c.read, pages.Write: c.write, pages.Read | pages.Write: c.write, 0: ""} {
					err := a.Check(b, need)
					r, refused := errors.AsType[*pages.Refusal](err)
					if refused != (want != "") || refused && !strings.Contains(r.Why, want) || !refused && err != nil {
						t.Errorf("need %b: %v, want %q", need, err, want)
					}
				}
			})
		}
	}
}

// TestCheckNamesThePage: which page it is that does not allow it.
func TestCheckNamesThePage(t *testing.T) {
	b := mapped(t, 4*page, unix.PROT_READ|unix.PROT_WRITE)
	protect(t, b[2*page:3*page], unix.PROT_READ)
	for way, a := range pages.Ways() {
		err := a.Check(b[1:], pages.Write)
		a.Close()
		if r, ok := errors.AsType[*pages.Refusal](err); !ok || r.Addr != uint64(uintptr(unsafe.Pointer(&b[2*page]))) {
			t.Errorf("%s: %v, want the page at %p", way, err, &b[2*page])
		}
	}
}

// TestCheckTouchesNothing: memory that was never used stays unused, and none changes.
func TestCheckTouchesNothing(t *testing.T) {
	const n = 16 << 20
	for way, a := range pages.Ways() {
		b := mapped(t, n, unix.PROT_READ|unix.PROT_WRITE)
		if err := a.Check(b, pages.Read|pages.Write); err != nil {
			t.Error(way, err)
		}
		a.Close()
		there := make([]byte, n/page)
		if _, _, e := unix.Syscall(unix.SYS_MINCORE, uintptr(unsafe.Pointer(&b[0])), n, uintptr(unsafe.Pointer(&there[0]))); e != 0 {
			t.Fatal(e)
		}
		for i, x := range there {
			if x&1 != 0 {
				t.Fatalf("%s: page %d was touched", way, i)
			}
		}
	}
}

// TestCheckAfterClose: another way answers.
func TestCheckAfterClose(t *testing.T) {
	var a pages.Asker
	a.Close()
	if err := a.Check(mapped(t, page, unix.PROT_READ), pages.Write); err == nil {
		t.Error("no refusal")
	}
	a.Close()
}

// BenchmarkCheck is for 4 KiB of Go's heap, in a process of few and of many mappings.
func BenchmarkCheck(b *testing.B) {
	heap := make([]byte, page)
	for _, many := range []bool{false, true} {
		name := "few"
		if many {
			name = "10000"
			all := mapped(b, 20_000*page, unix.PROT_READ|unix.PROT_WRITE)
			for i := 0; i < len(all); i += 2 * page {
				protect(b, all[i:i+page], unix.PROT_READ) // so that neighbours differ
			}
		}
		for way, a := range pages.Ways() {
			b.Run("mappings="+name+"/"+way, func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					if err := a.Check(heap, pages.Read|pages.Write); err != nil {
						b.Fatal(err)
					}
				}
			})
			a.Close()
		}
	}
}
