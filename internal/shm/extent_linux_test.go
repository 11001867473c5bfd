package shm_test

import (
	"testing"

	"github.com/godapl/godapl/internal/shm"
)

// TestFreedMemoryIsTheSystems: the pages of a freed extent are given back to the system,
// although a peer has them mapped and the file open.
func TestFreedMemoryIsTheSystems(t *testing.T) {
	before := holdings(t)
	e := made(shm.NewExtent("test", 4*page, 0))(t)
	peer := made(shm.OpenFile(dupFD(t, e.File.FD())))(t)
	m := made(peer.Map(0, e.Len, shm.ReadWrite))(t)
	for off := 0; off < e.Len; off += page {
		m.Bytes()[off] = 1
	}
	must(t, e.Free())
	wants(t, "second Free", e.Free(), shm.ErrClosed)
	for off := 0; off < e.Len; off += page {
		if m.Bytes()[off] != 0 {
			t.Fatalf("the page at %d is still there", off)
		}
	}
	must(t, m.Unmap())
	must(t, peer.Close())
	if now := holdings(t); now != before {
		t.Errorf("left behind: %+v, before %+v", now, before)
	}
}

// TestExtentIsItsFile: the file, which a peer may get, holds the extent and nothing else.
func TestExtentIsItsFile(t *testing.T) {
	a, b := made(shm.NewExtent("test", page, 0))(t), made(shm.NewExtent("test", 2*page, 0))(t)
	defer a.Free()
	defer b.Free()
	if a.File.Size() != int64(page) || b.File.Size() != int64(2*page) {
		t.Errorf("files of %d and %d bytes", a.File.Size(), b.File.Size())
	}
	_, err := shm.NewExtent("test", page+1, 0)
	wants(t, "NewExtent", err, shm.ErrInvalid)
}

// TestDetachedExtent: what a peer writes after Detach does not arrive.
func TestDetachedExtent(t *testing.T) {
	e := made(shm.NewExtent("test", 2*page, 0))(t)
	b := made(e.Map())(t)
	defer shm.Unmap(b)
	stuck := mapped(t, e.File, 0, e.Len, shm.ReadWrite) // a peer's
	copy(b, "contents")
	must(t, e.Detach(b))
	must(t, e.Detach(b))
	copy(stuck.Bytes(), "too late")
	if !e.Detached() || string(b[:8]) != "contents" {
		t.Errorf("%q", b[:8])
	}
	must(t, e.Free())
	wants(t, "Detach after Free", e.Detach(b), shm.ErrClosed)
	if string(b[:8]) != "contents" {
		t.Errorf("%q", b[:8])
	}
}
