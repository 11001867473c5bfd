package mem

import (
	"fmt"

	"github.com/godapl/godapl/internal/hca"
)

// Slice is a part of a region, and the memory argument of posts (uDAPL: DAT_LMR_TRIPLET). It
// is a small value: copy it freely. The zero Slice is empty and belongs to no region; posts
// take it as no memory at all.
//
// A Slice does not keep its region from being freed. It may be used
// concurrently.
type Slice struct {
	region *Region
	off, n int
}

// Len is the number of bytes, 0 if the slice is not valid.
func (s Slice) Len() int { return s.n }

// Offset is where the slice begins in its region.
func (s Slice) Offset() int { return s.off }

// Region is the region of the slice; nil for the zero Slice and for a slice that is not
// valid.
func (s Slice) Region() *Region {
	if s.region == nil || s.region.fault != nil {
		return nil
	}
	return s.region
}

// Bytes is the memory itself, not a copy. It is nil if the slice is empty or
// not valid, or if the region has been freed. The package comment says when
// the program may access it.
func (s Slice) Bytes() []byte {
	if s.n == 0 {
		return nil
	}
	b := s.region.Bytes()
	if b == nil {
		return nil
	}
	return b[s.off : s.off+s.n : s.off+s.n]
}

// Addr is the address that the adapter uses for the first byte.
func (s Slice) Addr() uint64 {
	if s.region == nil {
		return 0
	}
	return s.region.addr + uint64(s.off)
}

// Key is the local key of the region (uDAPL: lmr_context); 0 without a region.
func (s Slice) Key() Key {
	if s.region == nil {
		return 0
	}
	return Key(s.region.lkey)
}

// Allows reports whether operations of the zone with that number ([Region.ZoneID]) may
// use the memory with these rights: the memory is of the zone, has the rights, and has
// not been freed.
//
// Programs need not call it: each post does, for each slice. It is a method here, and not
// hidden, so that the compiler can inline it there; a call through a variable takes 3 to 8 ns
// longer.
func (s Slice) Allows(zoneID uint64, rights Rights) bool {
	return s.region != nil && s.region.zone == zoneID && (alive|uint32(rights))&^s.region.live.Load() == 0
}

// Slice is the part of n bytes that begins at off. If that is not inside s, the
// result is not valid: see [Slice.Err].
func (s Slice) Slice(off, n int) Slice {
	if uint(off) > uint(s.n) || uint(n) > uint(s.n-off) { // negative numbers are huge
		return s.outside(off, n)
	}
	return Slice{s.region, s.off + off, n}
}

// outside is Slice for a range that is not inside s. Slice takes fewer instructions without its calls.
func (s Slice) outside(off, n int) Slice {
	if s.region != nil && s.region.fault != nil {
		return s
	}
	return outOfRange(s.n, off, n)
}

// Err is nil for a valid slice, also for an empty one; otherwise it is an rdma.ErrInvalid
// that names the numbers out of range.
func (s Slice) Err() error {
	if s.region == nil || s.region.fault == nil {
		return nil
	}
	return s.region.fault
}

// Remote is this memory as peers name it. It has no key if the region has no
// remote right. A slice that is not valid gives a Remote that is not valid.
func (s Slice) Remote() Remote {
	if s.region == nil {
		return Remote{}
	}
	if s.region.fault != nil {
		return Remote{fault: s.region.fault}
	}
	return Remote{Key: s.region.RemoteKey(), Addr: s.Addr(), Length: uint64(s.n)}
}

// outOfRange makes a slice that is not valid. Its region is never alive, so that posts refuse
// it without a further check.
func outOfRange(have, off, n int) Slice {
	return Slice{region: &Region{fault: rangeError("slice memory", have, off, n)}}
}

func rangeError(op string, have, off, n int) *hca.Error {
	return hca.NewError(hca.Invalid, op, "",
		fmt.Sprintf("%d bytes at offset %d are not inside %d bytes", n, off, have))
}

// segment reports whether s may be used in the zone with these rights, and how the adapter
// names it. If it may not, refusal tells why, or that the slice is empty after all. The
// posts of package rdma do the same, with what is public.
func (s *Slice) segment(d *domain, need Rights) (seg hca.Segment, ok bool) {
	r := s.region
	if r == nil || r.domain != d || !s.Allows(d.number, need) {
		return seg, false
	}
	return hca.Segment{Addr: r.addr + uint64(s.off), Len: uint32(s.n), Key: r.lkey}, true
}

// refusal is why segment said no: see zonemem. Package rdma adds the call and the object.
func (s *Slice) refusal(d *domain, need Rights) error {
	r := s.region
	if r == nil {
		return nil
	}
	if r.fault != nil {
		return hca.NewError(hca.Invalid, "", "", r.fault.Detail)
	}
	if s.n == 0 {
		return nil
	}
	live := r.live.Load()
	if live == 0 {
		if r.domain != nil && r.domain.over() { // with its adapter, or by itself: the memory is not what is to be mended
			return hca.NewError(hca.Closed, "", "", r.domain.name+" has been closed, and with it "+r.name())
		}
		return hca.NewError(hca.Privileges, "", "", r.name()+" has been freed")
	}
	if r.domain != d {
		return hca.NewError(hca.Protection, "", "",
			fmt.Sprintf("%s is not of %s, as the operation is; RegisterAgain makes a region of the other zone over the same memory", r.name(), d))
	}
	return hca.NewError(hca.Privileges, "", "", fmt.Sprintf("%s lacks the right %s, it has %s", r.name(), need&^Rights(live), Rights(live)))
}
