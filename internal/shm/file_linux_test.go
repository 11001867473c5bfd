package shm_test

import (
	"bytes"
	"math"
	"os"
	"testing"

	"github.com/godapl/godapl/internal/shm"
)

var page = os.Getpagesize()

func newFile(t testing.TB, size int) *shm.File {
	t.Helper()
	f := made(shm.CreateFile("test", int64(size), 0))(t)
	t.Cleanup(func() { f.Close() })
	return f
}

func mapped(t testing.TB, f *shm.File, off, n int, a shm.Access) *shm.Mapping {
	t.Helper()
	m := made(f.Map(int64(off), n, a))(t)
	t.Cleanup(func() { m.Unmap() })
	return m
}

// TestMappingsShareMemory: a second mapping, of a received descriptor, sees what the
// first one writes, at the same offset.
func TestMappingsShareMemory(t *testing.T) {
	before := holdings(t)
	f := made(shm.CreateFile("test", int64(4*page), 0))(t)
	peer := made(shm.OpenFile(dupFD(t, f.FD())))(t)
	if peer.Size() != int64(4*page) || peer.PageSize() != page || peer.Huge() {
		t.Errorf("the peer sees %d bytes in pages of %d", peer.Size(), peer.PageSize())
	}
	ours := made(f.Map(0, 4*page, shm.ReadWrite))(t)
	theirs := made(peer.Map(int64(page), 2*page, shm.ReadOnly))(t)
	must(t, f.Close())
	must(t, peer.Close())
	copy(ours.Bytes()[page:], "hello")
	if got := theirs.Bytes(); len(got) != 2*page || !bytes.HasPrefix(got, []byte("hello")) || !bytes.Equal(ours.Bytes()[page:3*page], got) {
		t.Errorf("%d bytes, %q", len(got), got[:5])
	}
	must(t, ours.Unmap())
	must(t, theirs.Unmap())
	if ours.Bytes() != nil {
		t.Error("unmapped memory can be had")
	}
	wants(t, "second Unmap", ours.Unmap(), shm.ErrClosed)
	wants(t, "second Close", f.Close(), shm.ErrClosed)
	_, err := f.Map(0, page, shm.ReadOnly)
	wants(t, "Map after Close", err, shm.ErrClosed)
	wants(t, "Punch after Close", f.Punch(0, int64(page)), shm.ErrClosed)
	if f.FD() != -1 {
		t.Error("a closed file has a descriptor")
	}
	if now := holdings(t); now != before {
		t.Errorf("left behind: %+v, before %+v", now, before)
	}
}

// TestMapStaysInside: offsets and lengths come from peers.
func TestMapStaysInside(t *testing.T) {
	f := newFile(t, 4*page)
	for _, c := range []struct {
		off int64
		n   int
	}{
		{0, 0}, {0, -page}, {-int64(page), page}, {0, 5 * page}, {int64(4 * page), page}, {int64(3 * page), 2 * page},
		{1, page}, {0, page + 1}, {1 << 62, page}, {int64(page), math.MaxInt - page + 1}, {-1 << 63, page},
	} {
		_, err := f.Map(c.off, c.n, shm.ReadOnly)
		wants(t, "Map", err, shm.ErrUnfit)
	}
}

func TestFileSizes(t *testing.T) {
	for _, size := range []int64{0, -1, 1, int64(page) - 1} {
		_, err := shm.CreateFile("test", size, 0)
		wants(t, "CreateFile", err, shm.ErrInvalid)
	}
	_, err := shm.CreateFile("test", int64(page), 3*page)
	wants(t, "CreateFile with odd pages", err, shm.ErrInvalid)
}

// TestSegmentIsExact: a file of another size than agreed is refused.
func TestSegmentIsExact(t *testing.T) {
	before := holdings(t)
	s := made(shm.NewSegment("test", 2*page, 0))(t)
	for _, n := range []int{page, 3 * page} {
		_, err := shm.OpenSegment(dupFD(t, s.FD()), n, shm.ReadWrite)
		wants(t, "OpenSegment", err, shm.ErrUnfit)
	}
	peer := made(shm.OpenSegment(dupFD(t, s.FD()), 2*page, shm.ReadWrite))(t)
	must(t, s.CloseFile())
	peer.Bytes()[2*page-1] = 7
	if s.Bytes()[2*page-1] != 7 {
		t.Error("not the same memory")
	}
	must(t, s.Close())
	must(t, peer.Close())
	wants(t, "second Close", peer.Close(), shm.ErrClosed)
	if now := holdings(t); now != before {
		t.Errorf("left behind: %+v, before %+v", now, before)
	}
}

// TestPunch: after Punch all mappings read zeros.
func TestPunch(t *testing.T) {
	f := newFile(t, 2*page)
	m := mapped(t, f, 0, 2*page, shm.ReadWrite)
	copy(m.Bytes(), "one")
	copy(m.Bytes()[page:], "two")
	must(t, f.Punch(int64(page), int64(page)))
	if string(m.Bytes()[:3]) != "one" || m.Bytes()[page] != 0 {
		t.Errorf("%q %q", m.Bytes()[:3], m.Bytes()[page:page+3])
	}
}

// TestDetachPartsFromTheFile: the contents stay, the peer's stores do not arrive, and no
// local store is lost during Detach.
func TestDetachPartsFromTheFile(t *testing.T) {
	const pages = 64
	f := newFile(t, pages*page)
	m := mapped(t, f, 0, pages*page, shm.ReadWrite)
	peer := mapped(t, f, 0, pages*page, shm.ReadWrite)
	for i := range pages {
		m.Bytes()[i*page+8] = byte(i + 1)
	}
	stop, done := make(chan struct{}), make(chan uint64)
	counter := func(i int) func() uint64 {
		w := shm.Word64(m.Bytes(), i*page)
		return func() uint64 { return w.Add(1) }
	}
	go func() {
		n, adds := uint64(0), [pages]func() uint64{}
		for i := range adds {
			adds[i] = counter(i)
		}
		for {
			n++
			for i := range adds {
				if got := adds[i](); got != n {
					t.Errorf("round %d of page %d is %d: an addition was lost", n, i, got)
				}
			}
			select {
			case <-stop:
				done <- n
				return
			default:
			}
		}
	}()
	must(t, shm.Detach(m.Bytes(), f, 0))
	close(stop)
	<-done
	for i := range pages {
		peer.Bytes()[i*page+8] = 0xff
		peer.Bytes()[i*page+9] = 0xff
		if got := m.Bytes()[i*page+8 : i*page+10]; got[0] != byte(i+1) || got[1] != 0 {
			t.Fatalf("page %d: % x", i, got)
		}
	}
}

// TestTryCopySurvives: a copy from or to truncated memory is an error.
func TestTryCopySurvives(t *testing.T) {
	m := truncated(t, 4*page, page)
	dst := make([]byte, 2*page)
	if n, err := shm.TryCopy(dst, m[:page]); n != page || err != nil {
		t.Errorf("%d, %v", n, err)
	}
	_, err := shm.TryCopy(dst, m[page:3*page])
	wants(t, "TryCopy from", err, shm.ErrFault)
	_, err = shm.TryCopy(m[page:3*page], dst)
	wants(t, "TryCopy to", err, shm.ErrFault)
	_, err = shm.TryCopy(m[page:page+8], dst)
	wants(t, "TryCopy of few bytes", err, shm.ErrFault)
	if n, err := shm.TryCopy(dst, m[:page]); n != page || err != nil {
		t.Errorf("afterwards: %d, %v", n, err)
	}
}
