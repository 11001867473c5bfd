package shm_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/godapl/godapl/internal/shm"
)

// TestArenaRangesAreDisjoint allocates and frees at random, and keeps a mark in
// each range.
func TestArenaRangesAreDisjoint(t *testing.T) {
	before := holdings(t)
	const fileSize = 256 << 12
	a := shm.NewArena("test", fileSize)
	type piece struct {
		e    *shm.Extent
		m    *shm.Mapping
		mark byte
	}
	var all []piece
	rng := rand.New(rand.NewPCG(3, 4))
	most := 0
	free := func(i int) {
		p := all[i]
		for off := 0; off < p.e.Len; off += page {
			if p.m.Bytes()[off] != p.mark {
				t.Fatalf("range %d+%d: mark %d, want %d", p.e.Offset, off, p.m.Bytes()[off], p.mark)
			}
		}
		must(t, p.m.Unmap())
		must(t, p.e.Free())
		wants(t, "second Free", p.e.Free(), shm.ErrClosed)
		all = slices.Delete(all, i, i+1)
	}
	for n := range 4000 {
		if rng.IntN(100) < 51 && len(all) < 200 {
			e := made(a.Alloc(page * (1 + rng.IntN(80))))(t)
			if own := e.File.Size() == int64(e.Len); own != (e.Len > fileSize/4) {
				t.Fatalf("%d bytes in a file of %d", e.Len, e.File.Size())
			}
			m := made(e.File.Map(e.Offset, e.Len, shm.ReadWrite))(t)
			for off := 0; off < e.Len; off += page {
				if m.Bytes()[off] != 0 {
					t.Fatal("not zeros")
				}
				m.Bytes()[off] = byte(n%255 + 1)
			}
			all = append(all, piece{e, m, byte(n%255 + 1)})
			most = max(most, a.Files())
		} else if len(all) > 0 {
			free(rng.IntN(len(all)))
		}
	}
	if most < 3 {
		t.Errorf("%d files at most: the test is too easy", most)
	}
	for len(all) > 0 {
		free(len(all) - 1)
	}
	if a.Files() != 0 {
		t.Errorf("%d files are left when all is free", a.Files())
	}
	if now := holdings(t); now != before {
		t.Errorf("left behind: %+v, before %+v", now, before)
	}
}

// TestArenaOfManyRegions takes few descriptors.
func TestArenaOfManyRegions(t *testing.T) {
	a := shm.NewArena("test", shm.ArenaSize)
	var all []*shm.Extent
	for range 10000 {
		all = append(all, made(a.Alloc(4*page))(t))
	}
	if a.Files() > 2 {
		t.Errorf("%d descriptors", a.Files())
	}
	for _, e := range all {
		must(t, e.Free())
	}
	if a.Files() != 0 {
		t.Errorf("%d files are left when all is free", a.Files())
	}
}

// TestArenaJoinsFreeSpace: ranges that were freed in any order are one again.
func TestArenaJoinsFreeSpace(t *testing.T) {
	a := shm.NewArena("test", 64<<12)
	keep := made(a.Alloc(page))(t)
	for _, order := range [][]int{{0, 1, 2}, {2, 1, 0}, {0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}} {
		var e [3]*shm.Extent
		for i := range e {
			e[i] = made(a.Alloc(4 * page))(t)
		}
		for _, i := range order {
			must(t, e[i].Free())
		}
		all := made(a.Alloc(12 * page))(t)
		if all.Offset != int64(page) {
			t.Errorf("freed in the order %v: the next range is at %d", order, all.Offset)
		}
		must(t, all.Free())
	}
	must(t, keep.Free())
}

// TestArenaForgetsDetached: a range that a peer may still write to is nobody's.
func TestArenaForgetsDetached(t *testing.T) {
	a := shm.NewArena("test", 64<<12)
	keep := made(a.Alloc(page))(t) // and with it the file
	defer keep.Free()
	e := made(a.Alloc(2 * page))(t)
	m := mapped(t, e.File, int(e.Offset), e.Len, shm.ReadWrite)
	stuck := mapped(t, e.File, int(e.Offset), e.Len, shm.ReadWrite) // a peer's
	copy(m.Bytes(), "contents")
	must(t, e.Detach(m.Bytes()))
	must(t, e.Detach(m.Bytes()))
	copy(stuck.Bytes(), "too late")
	if !e.Detached() || string(m.Bytes()[:8]) != "contents" {
		t.Errorf("%q", m.Bytes()[:8])
	}
	must(t, e.Free())
	wants(t, "Detach after Free", e.Detach(m.Bytes()), shm.ErrClosed)
	if string(m.Bytes()[:8]) != "contents" {
		t.Errorf("%q", m.Bytes()[:8])
	}
	for range 8 {
		next := made(a.Alloc(page))(t)
		defer next.Free()
		if next.File == e.File && next.Offset < e.Offset+int64(e.Len) && e.Offset < next.Offset+int64(next.Len) {
			t.Fatalf("the range was given away: %d", next.Offset)
		}
		n := mapped(t, next.File, int(next.Offset), next.Len, shm.ReadOnly)
		if s := fmt.Sprintf("%q", n.Bytes()[:8]); s != `"\x00\x00\x00\x00\x00\x00\x00\x00"` {
			t.Error(s)
		}
	}
}

// TestFreedMemoryIsTheSystems: the pages of a range that was freed hold nothing any more,
// though a peer has them mapped, and a file of one range open.
func TestFreedMemoryIsTheSystems(t *testing.T) {
	a := shm.NewArena("test", 64<<12)
	keep := made(a.Alloc(page))(t)
	defer keep.Free()
	for _, pages := range []int{2, 32} { // of many ranges, of one
		e := made(a.Alloc(pages * page))(t)
		peer := made(shm.OpenFile(dupFD(t, e.File.FD())))(t)
		defer peer.Close()
		m := mapped(t, peer, int(e.Offset), e.Len, shm.ReadWrite)
		for off := 0; off < e.Len; off += page {
			m.Bytes()[off] = 1
		}
		must(t, e.Free())
		for off := 0; off < e.Len; off += page {
			if m.Bytes()[off] != 0 {
				t.Fatalf("%d pages: the one at %d is still there", pages, off)
			}
		}
	}
}
