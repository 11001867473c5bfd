package soft

import "github.com/godapl/godapl/internal/hca"

// A sendReq is a queued request of the send side.
type sendReq struct {
	wr    hca.SendWR // More is the slot's own memory
	total uint64     // octets
	off   uint64     // octets done
	begun bool
	reach bool // over shared memory: by copies of this side's own
	done  bool // complete, but an earlier one is not
	// status of a done request
	status hca.Status
	frame  uint64 // over shared memory: so many frames were out with its last one
	turns  []turn // bind: who must leave before the old key is out of use
	former *grant // bind: what the window covered before
}

// sendRing holds requests from their post to their completion: those from head
// to next have been started, those from next to tail have not.
type sendRing struct {
	head, next, tail uint64
	slots            []sendReq
}

func (s *sendRing) empty() bool { return s.head == s.tail }

func (s *sendRing) at(i uint64) *sendReq { return &s.slots[i&uint64(len(s.slots)-1)] }

// push copies a request in, its list of segments too.
func (s *sendRing) push(wr *hca.SendWR) {
	if n := int(s.tail - s.head); n == len(s.slots) {
		size := max(4, 2*n)
		slots := make([]sendReq, size)
		for i := s.head; i != s.tail; i++ {
			slots[i&uint64(size-1)] = *s.at(i)
		}
		s.slots = slots
	}
	r := s.at(s.tail)
	more := append(r.wr.More[:0], wr.More...)
	*r = sendReq{wr: *wr, total: total(wr), turns: r.turns[:0]}
	r.wr.More = more
	s.tail++
}

func total(wr *hca.SendWR) uint64 {
	n := uint64(wr.Local.Len)
	for i := range wr.More {
		n += uint64(wr.More[i].Len)
	}
	return n
}
