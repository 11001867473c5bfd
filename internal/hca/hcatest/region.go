package hcatest

import (
	"github.com/godapl/godapl/internal/hca"
)

// Guard bytes surround every region. They are not registered.
const (
	guardLen  = 64
	guardByte = 0xA5
)

// region is a registered region in the middle of guard bytes.
type region struct {
	*env
	name  string
	mr    hca.MR
	mem   hca.Memory // what was registered
	whole []byte
	b     []byte // the registered bytes
}

// region registers n bytes, all zero, in the side's own domain.
func (s *side) region(n int, access hca.Access) *region {
	s.Helper()
	return s.regionIn(s.pd, n, access)
}

func (s *side) regionIn(pd hca.PD, n int, access hca.Access) *region {
	s.Helper()
	guard := guardLen
	mem := s.h.memory(s.TB, n+2*guard)
	if len(mem.Bytes) < n+2*guard {
		s.Fatalf("the harness gave %d bytes, want %d", len(mem.Bytes), n+2*guard)
	}
	r := &region{env: s.env, name: s.name, whole: mem.Bytes}
	r.b = mem.Bytes[guard : guard+n : guard+n]
	paint(r.whole, guardByte)
	paint(r.b, 0)
	r.mem = hca.Memory{Bytes: r.b, File: mem.File, Offset: mem.Offset + int64(guard), Own: mem.Own}
	mr, err := pd.Register(r.mem, access)
	s.must(s.name+": Register", err)
	r.mr = mr
	return r
}

// seg is n bytes from offset off, which may lie outside.
func (r *region) seg(off, n int) hca.Segment {
	return hca.Segment{Addr: r.at(off), Len: uint32(n), Key: r.mr.LKey()}
}

// at is the address of offset off, which may be negative.
func (r *region) at(off int) uint64 { return r.mr.Addr() + uint64(int64(off)) }

// cut is n bytes from off in k segments of random lengths, some of length 0:
// those are not looked at, so their address and key are nonsense.
func (r *region) cut(off, n, k int) []hca.Segment {
	segs := make([]hca.Segment, 0, k)
	for ; k > 0; k-- {
		part := n
		if k > 1 {
			part = r.rng.IntN(n + 1)
			if r.rng.IntN(4) == 0 {
				part = 0
			}
		}
		if part == 0 {
			segs = append(segs, hca.Segment{Addr: r.rng.Uint64(), Key: hca.Key(r.rng.Uint32())})
		} else {
			segs = append(segs, r.seg(off, part))
		}
		off, n = off+part, n-part
	}
	return segs
}

// guards checks the bytes around the region.
func (r *region) guards(what string) {
	r.Helper()
	n := (len(r.whole) - len(r.b)) / 2
	for _, g := range [][]byte{r.whole[:n], r.whole[n+len(r.b) : 2*n+len(r.b)]} {
		if i := other(g, guardByte); i >= 0 {
			r.Errorf("%s: %s: a byte outside the region was changed (guard byte %d is %#x)", r.name, what, i, g[i])
		}
	}
}

// holds checks that n bytes from off are the data named by seed.
func (r *region) holds(what string, off, n, seed int) {
	r.Helper()
	if i := differs(r.b[off:off+n], seed); i >= 0 {
		r.Errorf("%s: %s: byte %d of %d is %#x, want %#x", r.name, what, i, n, r.b[off+i], pattern(seed, i))
	}
}

// still checks that n bytes from off are all v.
func (r *region) still(what string, off, n int, v byte) {
	r.Helper()
	if i := other(r.b[off:off+n], v); i >= 0 {
		r.Errorf("%s: %s: byte %d was changed to %#x", r.name, what, off+i, r.b[off+i])
	}
}
