package mailbox

import "github.com/godapl/godapl/rdma/mem"

// lent is a value in the sender's memory that the mailbox reads.
type lent struct {
	seq    uint64 // its number
	region *mem.Region
}

// lend makes the message, whose body is b, that says where a value lies. The value stays as it is
// until the mailbox is done with it, or the connection has ended: nobody else has its memory.
func (s *Sender[T, R]) lend(h *header, b, value []byte) (*mem.Region, error) {
	if len(value) > s.values.max {
		return nil, errTooLarge
	}
	region, err := s.zone.Register(value, mem.LocalRead|mem.RemoteRead)
	if err != nil {
		return nil, err
	}
	where, err := region.Remote().AppendBinary(b[:0])
	if err != nil {
		_ = region.Free()
		return nil, err
	}
	h.length = len(where)
	h.kind += kindLargeValue - kindValue
	return region, nil
}

// takeBack ends the lending of the values up to a number. The caller holds mu.
func (s *Sender[T, R]) takeBack(seq uint64) {
	n := 0
	for ; n < len(s.lent) && s.lent[n].seq <= seq; n++ {
		_ = s.lent[n].region.Free()
		s.lent[n].region = nil
	}
	if s.lent = s.lent[n:]; len(s.lent) == 0 {
		s.lent = nil
	}
}
