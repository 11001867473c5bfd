package rdma

import (
	"fmt"
	"math"

	"github.com/godapl/godapl/internal/hca"
	"github.com/godapl/godapl/internal/zonemem"
	"github.com/godapl/godapl/rdma/mem"
)

// zoneMemory is the memory side of a zone, which package mem has: see zonemem.
type zoneMemory interface {
	Alloc(size int, rights mem.Rights, cfg mem.AllocConfig) (*mem.Region, error)
	Register(b []byte, rights mem.Rights) (*mem.Region, error)
	RegisterAgain(r *mem.Region, rights mem.Rights) (*mem.Region, error)
	Adopt(r *mem.Region, rights mem.Rights) (*mem.Region, error)
	RegisterShared(b []byte, id mem.SharedID, rights mem.Rights) (*mem.Region, error)
	NewWindow(kind mem.WindowKind) (*mem.Window, error)
	// Counts is how many regions and windows are left. Close frees them; with gone, the
	// adapter is closed already.
	Counts() (regions, windows int)
	// Bytes is the sum of the lengths of the regions.
	Bytes() uint64
	Close(gone bool)
	// Bind checks a bind and posts it through post.
	Bind(w *mem.Window, s mem.Slice, rights mem.Rights, closed bool, post func(*hca.Bind) error) (mem.Remote, error)
	String() string
}

// segment is a slice as the adapter takes it. Callers check before that the slice allows the
// use: see [mem.Slice.Allows].
func segment(s mem.Slice) hca.Segment {
	return hca.Segment{Addr: s.Addr(), Len: uint32(s.Len()), Key: hca.Key(s.Key())}
}

// checkedSegment is segment with the check and its errors. z is nil if the zone is not known yet.
func checkedSegment(s *mem.Slice, z *Zone, need mem.Rights) (hca.Segment, error) {
	if *s == (mem.Slice{}) {
		return hca.Segment{}, nil // no memory, as a message without bytes has
	}
	if r := s.Region(); r != nil {
		number := r.ZoneID()
		if z != nil {
			number = z.number
		}
		if s.Allows(number, need) {
			if uint64(s.Len()) > math.MaxUint32 {
				return hca.Segment{}, hca.NewError(hca.Length, "", "", fmt.Sprintf("a piece of %d bytes; one may have 4 GiB less a byte", s.Len()))
			}
			return segment(*s), nil
		}
	}
	return hca.Segment{}, refusal(*s, z, need)
}

// refusal is apart so that the slice of a post does not escape.
func refusal(s mem.Slice, z *Zone, need mem.Rights) error {
	if z == nil {
		return zonemem.Refusal(&s, nil, uint8(need))
	}
	return zonemem.Refusal(&s, z.memory, uint8(need))
}
