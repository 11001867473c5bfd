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
	Alloc(size int, rights mem.Rights, opt mem.AllocOptions) (*mem.Region, error)
	Register(b []byte, rights mem.Rights) (*mem.Region, error)
	RegisterAgain(r *mem.Region, rights mem.Rights) (*mem.Region, error)
	RegisterShared(b []byte, id mem.SharedID, rights mem.Rights) (*mem.Region, error)
	NewWindow(kind mem.WindowKind) (*mem.Window, error)
	// Counts is how many regions and windows are left. Close frees them; with gone, the
	// adapter is closed already.
	Counts() (regions, windows int)
	Close(gone bool)
	// Bind checks a bind and posts it through post.
	Bind(w *mem.Window, s mem.Slice, rights mem.Rights, closed bool, post func(*hca.Bind) error) (mem.Remote, error)
	String() string
}

// segment is a slice as the adapter takes it, if it is of the zone of that number and
// has the rights. If not, lower tells why, or that the slice is empty after
// all. It is small, so that it is inlined into the posts.
func segment(s mem.Slice, zone uint64, need mem.Rights) (seg hca.Segment, ok bool) {
	if ok = s.Allows(zone, need); ok {
		seg = hca.Segment{Addr: s.Addr(), Len: uint32(s.Len()), Key: hca.Key(s.Key())}
	}
	return
}

// lower is segment with the errors. z is nil if the zone is not known yet.
func lower(s *mem.Slice, z *Zone, need mem.Rights) (hca.Segment, error) {
	if r := s.Region(); r != nil {
		number := r.ZoneID()
		if z != nil {
			number = z.number
		}
		if seg, ok := segment(*s, number, need); ok {
			if uint64(s.Len()) > math.MaxUint32 {
				return seg, hca.NewError(hca.Length, "", "", fmt.Sprintf("a piece of %d bytes; one may have 4 GiB less a byte", s.Len()))
			}
			return seg, nil
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
