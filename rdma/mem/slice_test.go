package mem_test

import (
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/godapl/godapl/internal/hca"
	"github.com/godapl/godapl/rdma/mem"
)

func TestSliceRanges(t *testing.T) {
	d, _ := newDomain(t)
	r, _ := d.Register([]byte("0123456789"), mem.Local)
	outer := r.Slice(2, 6) // "234567"
	for _, c := range []struct {
		off, n int
		want   string
		ok     bool
	}{
		{0, 6, "234567", true}, {0, 0, "", true}, {6, 0, "", true}, {1, 2, "34", true}, {5, 1, "7", true},
		{0, 7, "", false}, {6, 1, "", false}, {7, 0, "", false}, {-1, 1, "", false}, {0, -1, "", false},
		{math.MaxInt, 1, "", false}, {1, math.MaxInt, "", false}, {math.MaxInt, math.MaxInt, "", false}, {math.MinInt, 0, "", false},
	} {
		s := outer.Slice(c.off, c.n)
		if string(s.Bytes()) != c.want || (s.Err() == nil) != c.ok {
			t.Errorf("Slice(%d, %d): %q, %v", c.off, c.n, s.Bytes(), s.Err())
		}
		if c.ok {
			if s.Len() != c.n || s.Offset() != 2+c.off || s.Addr() != r.Addr()+2+uint64(c.off) || s.Region() != r {
				t.Errorf("Slice(%d, %d): length %d, offset %d, address %#x", c.off, c.n, s.Len(), s.Offset(), s.Addr())
			}
			if cap(s.Bytes()) != len(s.Bytes()) {
				t.Errorf("Slice(%d, %d): append would reach the neighbour", c.off, c.n)
			}
			continue
		}
		// Not valid once means not valid ever after.
		for _, s := range []mem.Slice{s, s.Slice(0, 0), s.Slice(0, 1)} {
			seg, ok := s.Segment(d, 0)
			if ok || seg.Len != 0 || s.Bytes() != nil || s.Len() != 0 || s.Region() != nil || s.Remote().Err() == nil {
				t.Errorf("Slice(%d, %d) is usable", c.off, c.n)
			}
			err := s.Refusal(d, 0)
			if !errors.Is(err, hca.Invalid) || !strings.Contains(err.Error(), "6 bytes") {
				t.Errorf("Slice(%d, %d): %v", c.off, c.n, err)
			}
		}
	}
}

func TestZeroSlice(t *testing.T) {
	var s mem.Slice
	if s.Len() != 0 || s.Bytes() != nil || s.Err() != nil || s.Addr() != 0 || s.Region() != nil || s.Remote() != (mem.Remote{}) {
		t.Error("the zero Slice is not empty")
	}
	if s.Slice(0, 1).Err() == nil || s.Slice(0, 0).Err() != nil {
		t.Error("ranges of the zero Slice")
	}
}

func TestSegmentChecks(t *testing.T) {
	d, _ := newDomain(t)
	other := mem.NewDomain(&fakePD{}, "zone B")
	r := alloc(t, d, 64, mem.LocalRead|mem.RemoteRead)
	s := r.Slice(8, 16)
	seg, ok := s.Segment(d, mem.LocalRead)
	if !ok || seg.Addr != r.Addr()+8 || seg.Len != 16 || seg.Key != hca.Key(r.Key()) {
		t.Fatalf("%+v, %t", seg, ok)
	}
	freed := alloc(t, d, 64, mem.LocalRead)
	late := freed.Slice(0, 1)
	freed.Free()
	ended := mem.NewDomain(&fakePD{}, "zone C")
	last := alloc(t, ended, 64, mem.LocalRead).All()
	ended.Close(false)
	for name, c := range map[string]struct {
		s    mem.Slice
		d    *mem.Domain
		need mem.Rights
		code hca.Code
		says string
	}{
		"right": {s, d, mem.LocalWrite, hca.Privileges, "(4096 bytes) lacks the right local-write, it has local-read+remote-read"},
		"some":  {s, d, mem.LocalRead | mem.LocalWrite, hca.Privileges, "lacks the right local-write"},
		"zone":  {s, other, mem.LocalRead, hca.Protection, "zone A"},
		"freed": {late, d, mem.LocalRead, hca.Privileges, "freed"},
		"ended": {last, ended, mem.LocalRead, hca.Closed, "zone C has been closed"},
	} {
		if _, ok := c.s.Segment(c.d, c.need); ok {
			t.Errorf("%s: accepted", name)
		}
		if err := c.s.Refusal(c.d, c.need); !errors.Is(err, c.code) || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: %v, want %v and %q", name, err, c.code, c.says)
		}
	}
	// Empty segments are not checked, whatever they lack.
	for _, s := range []mem.Slice{{}, s.Slice(0, 0), late.Slice(0, 0)} {
		if err := s.Refusal(other, mem.LocalWrite); err != nil {
			t.Errorf("empty: %v", err)
		}
	}
}

func TestSlicesDoNotAllocate(t *testing.T) {
	d, _ := newDomain(t)
	r := alloc(t, d, 4096, mem.All)
	var seg hca.Segment
	var rem mem.Remote
	n := testing.AllocsPerRun(100, func() {
		s := r.Slice(64, 512).Slice(8, 8)
		seg, _ = s.Segment(d, mem.LocalRead)
		rem = s.Remote().Slice(1, 2)
	})
	if n != 0 || seg.Len != 8 || rem.Length != 2 {
		t.Errorf("%v allocations, %v, %v", n, seg, rem)
	}
}
