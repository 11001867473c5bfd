package soft

import "github.com/godapl/godapl/internal/hca"

// A sendReq is a queued request of the send side.
type sendReq struct {
	wr    hca.SendWR // More is the slot's own memory
	total uint64     // octets
	off   uint64     // octets done
	begun bool
	reach bool   // over shared memory: by copies of this side's own
	back  bool   // which begin with the last piece: see backwards
	step  uint64 // their size
	done  bool   // complete, but an earlier one is not
	// status of a done request
	status hca.Status
	frame  uint64 // over shared memory: so many frames were out with its last one
	stays  []stay // bind: who must leave before the old key is out of use
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
	*r = sendReq{wr: *wr, total: total(wr), stays: r.stays[:0]}
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

// pushPlain is push for a request of one segment and nothing else. It fills the slot
// in field by field: a copy of what was put together just before makes the processor
// wait.
func (s *sendRing) pushPlain(id uint64, op hca.Op, flags hca.Flags, local hca.Segment) {
	if int(s.tail-s.head) == len(s.slots) {
		s.push(&hca.SendWR{ID: id, Op: op, Flags: flags, Local: local})
		return
	}
	r := s.at(s.tail)
	wr := &r.wr
	wr.ID, wr.Op, wr.Flags, wr.Imm, wr.Local, wr.More = id, op, flags, 0, local, wr.More[:0]
	wr.Remote, wr.RKey, wr.Operand, wr.Compare, wr.Bind = 0, 0, 0, 0, nil
	r.total, r.off, r.frame = uint64(local.Len), 0, 0
	r.begun, r.reach, r.done, r.status = false, false, false, hca.StatusOK
	r.stays, r.former = r.stays[:0], nil
	s.tail++
}
