package core

import (
	"github.com/godapl/godapl/internal/hca"
	"github.com/godapl/godapl/internal/hca/soft/gate"
	"github.com/godapl/godapl/internal/hca/soft/reqtime"
)

// A SendReq is a queued request.
type SendReq struct {
	WR       hca.SendWR // More is the slot's own memory
	Total    uint64     // bytes
	Off      uint64     // bytes done
	Begun    bool
	OneSided bool // over shared memory: carried out by this side's own copies
	Done     bool // complete, but an earlier one is not
	// Status of a done request.
	Status hca.Status
	Frame  uint64      // over shared memory: the number of frames sent, including its last one; over a stream: where it ends
	stays  []gate.Stay // bind: accesses that must end before the former key is out of use
	former *KeyEntry   // bind: what the window covered before
}

// SendQueue holds requests from post to completion: Head to Next are started, Next to Tail are not.
type SendQueue struct {
	Head, Next, Tail uint64
	High             uint64 // the largest number so far
	slots            []SendReq
	times            *reqtime.Times // nil: off
}

func (s *SendQueue) Empty() bool          { return s.Head == s.Tail }
func (s *SendQueue) At(i uint64) *SendReq { return &s.slots[i&uint64(len(s.slots)-1)] }

// Push copies a request in, with its list of segments.
func (s *SendQueue) Push(wr *hca.SendWR) {
	if n := int(s.Tail - s.Head); n == len(s.slots) {
		size := max(4, 2*n)
		slots := make([]SendReq, size)
		for i := s.Head; i != s.Tail; i++ {
			slots[i&uint64(size-1)] = *s.At(i)
		}
		s.slots = slots
	}
	r := s.At(s.Tail)
	more := append(r.WR.More[:0], wr.More...)
	*r = SendReq{WR: *wr, Total: total(wr), stays: r.stays[:0]}
	r.WR.More = more
	s.pushed()
	if s.times != nil {
		s.times.Queued(s.Head, s.Tail, len(s.slots))
	}
}

// pushed counts one more request in.
func (s *SendQueue) pushed() {
	s.Tail++
	s.High = max(s.High, s.Tail-s.Head)
}

func total(wr *hca.SendWR) uint64 {
	n := uint64(wr.Local.Len)
	for i := range wr.More {
		n += uint64(wr.More[i].Len)
	}
	return n
}

// PushPlain is Push for a request of one segment. It fills the slot in place: copying a struct right after its
// fields were stored makes the processor wait for the stores.
func (s *SendQueue) PushPlain(id uint64, op hca.Op, flags hca.Flags, local hca.Segment, remote uint64, rkey hca.Key) {
	if int(s.Tail-s.Head) == len(s.slots) {
		s.Push(&hca.SendWR{ID: id, Op: op, Flags: flags, Local: local, Remote: remote, RKey: rkey})
		return
	}
	r := s.At(s.Tail)
	wr := &r.WR
	wr.ID, wr.Op, wr.Flags, wr.Imm, wr.Local, wr.More = id, op, flags, 0, local, wr.More[:0]
	wr.Remote, wr.RKey, wr.Operand, wr.Compare, wr.Bind = remote, rkey, 0, 0, nil
	r.Total, r.Off, r.Frame = uint64(local.Len), 0, 0
	r.Begun, r.OneSided, r.Done, r.Status = false, false, false, hca.StatusOK
	r.stays, r.former = r.stays[:0], nil
	s.pushed()
	if s.times != nil {
		s.times.Queued(s.Head, s.Tail, len(s.slots))
	}
}
