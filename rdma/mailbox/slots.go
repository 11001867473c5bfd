package mailbox

import (
	"math"

	"github.com/godapl/godapl/rdma"
	"github.com/godapl/godapl/rdma/mem"
)

// slots is registered memory for messages, each of the same size at most.
type slots struct {
	region *mem.Region
	size   int
	free   []uint32
}

func newSlots(zone *rdma.Zone, count, size int, rights mem.Rights) (*slots, error) {
	size = (size + 7) &^ 7
	all := area(count, size)
	alloc := zone.Alloc
	if all < mem.PageSize() { // that would be a whole page
		alloc = func(bytes int, rights mem.Rights) (*mem.Region, error) {
			return zone.Register(make([]byte, bytes), rights)
		}
	}
	region, err := alloc(all, rights)
	if err != nil {
		return nil, err
	}
	s := &slots{region: region, size: size, free: make([]uint32, count)}
	for i := range s.free {
		s.free[i] = uint32(count - 1 - i)
	}
	return s, nil
}

// area is how many bytes so many places have. An int of 32 bits has less than a window of large slots: then it is the
// largest number, of which no adapter has memory.
func area(count, size int) int {
	if size > 0 && count > math.MaxInt/size {
		return math.MaxInt &^ 7
	}
	return count * size
}

// at is the slot of a number.
func (s *slots) at(i uint32) mem.Slice { return s.region.Slice(int(i)*s.size, s.size) }

// message is the first n bytes of a slot. They are gone if the adapter has been closed.
func (s *slots) message(i uint32, n int) ([]byte, bool) {
	b := s.at(i).Bytes()
	if n > len(b) {
		return nil, false
	}
	return b[:n], true
}

// take takes a free slot.
func (s *slots) take() (i uint32, ok bool) {
	if len(s.free) == 0 {
		return 0, false
	}
	i = s.free[len(s.free)-1]
	s.free = s.free[:len(s.free)-1]
	return i, true
}

// give gives a slot back.
func (s *slots) give(i uint32) { s.free = append(s.free, i) }
