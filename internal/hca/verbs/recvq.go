package verbs

import (
	"math/bits"
	"sync/atomic"

	"github.com/godapl/godapl/internal/hca"
	"github.com/godapl/godapl/internal/hca/verbs/ibv"
)

// recvRec describes a receive while the device has it.
type recvRec struct {
	id        uint64
	flags     hca.Flags
	completed bool
	wc        ibv.WC // its completion, if an earlier receive is not complete yet
}

// recvQ is the ring of receives; see sendQ. Its work requests stay in memory that the
// device reads, one for each slot: receives that are posted before the device has a
// queue pair wait there for it.
type recvQ struct {
	q     *qp
	recs  []recvRec
	mask  uint64
	depth uint64
	head  atomic.Uint64
	given atomic.Uint64
	done  atomic.Uint64
	freed atomic.Uint64
	wrs   *ibv.Array[ibv.RecvWR]
	sges  *ibv.Array[ibv.SGE]
	sge   int // segments of a receive
	full  error
	// held are completions that arrived before the established event was reported;
	// open: it has been reported. Both are guarded by the completion queue's mu.
	held []ibv.WC
	open bool
}

func (s *recvQ) init(q *qp, depth, sge int) error {
	s.q, s.sge = q, max(1, sge)
	s.full = queueFull("PostRecv", "receive queue", depth)
	size := uint64(1) << bits.Len(uint(max(depth, 1)))
	s.recs, s.mask, s.depth = make([]recvRec, size), size-1, uint64(depth)
	var err error
	if s.wrs, err = ibv.NewArray[ibv.RecvWR](int(size)); err != nil {
		return err
	}
	s.sges, err = ibv.NewArray[ibv.SGE](int(size) * s.sge)
	return err
}

func (s *recvQ) free() {
	s.wrs.Free()
	s.sges.Free()
}

func (s *recvQ) room() uint64 { return s.depth - min(s.depth, s.head.Load()-s.freed.Load()) }

// used counts receives that are not done or whose entries were not taken.
func (s *recvQ) used() int {
	freed := s.freed.Load()
	return int(s.head.Load() - freed)
}

// polled gives a slot back.
func (s *recvQ) polled() { s.freed.Add(1) }

func (s *recvQ) outstanding() int { return int(s.head.Load() - s.done.Load()) }

// add makes the record and the work request of the next receive.
func (s *recvQ) add(n uint64, wr *hca.RecvWR) {
	seq := s.head.Load() + n
	i := seq & s.mask
	s.recs[i] = recvRec{id: wr.ID, flags: wr.Flags}
	s.q.ad.fillRecv(&s.wrs.S[i], wrID(s.q.index)<<32|idRecv|wrID(i), s.sges, int(i)*s.sge, wr)
}

// fillRecv writes a work request for a receive.
func (a *adapter) fillRecv(to *ibv.RecvWR, id wrID, sges *ibv.Array[ibv.SGE], first int, wr *hca.RecvWR) {
	n, _ := putSegments(sges.S[first:], wr.Local, wr.More)
	if n == 0 && a.siw {
		sges.S[first], n = ibv.SGE{}, 1
	}
	*to = ibv.RecvWR{ID: uint64(id), NumSGE: int32(n)}
	if n > 0 {
		to.SGList = sges.Addr(first)
	}
}

// completed takes a completion of the device. Called with the queue's mu held.
func (s *recvQ) completed(c *cq, w *ibv.WC, slot uint64) {
	if !s.open {
		s.held = append(s.held, *w)
		return
	}
	done := s.done.Load()
	if done+(slot-done)&s.mask >= s.given.Load() {
		return // of a queue pair that is gone
	}
	if r := &s.recs[slot&s.mask]; slot&s.mask == done&s.mask {
		s.q.received(c, s, r.id, r.flags, w)
		done++
		s.done.Store(done)
	} else {
		r.completed, r.wc = true, *w // until those before it have
	}
	for ; done < s.given.Load() && s.recs[done&s.mask].completed; done++ {
		r := &s.recs[done&s.mask]
		s.q.received(c, s, r.id, r.flags, &r.wc)
		s.done.Store(done + 1)
	}
	s.q.progressed(c)
}

// flush ends all receives that are left; see sendQ.flush.
func (s *recvQ) flush(c *cq) {
	for done, head := s.done.Load(), s.head.Load(); done < head; done++ {
		r := &s.recs[done&s.mask]
		if !r.completed {
			r.wc = ibv.WC{Status: ibv.WCWRFlushErr}
		}
		s.q.received(c, s, r.id, r.flags, &r.wc)
		s.done.Store(done + 1)
	}
}

// release passes the receive completions that were held back to the consumer; later
// ones are not held back. Called with the queue's mu held.
func (s *recvQ) release(c *cq) {
	held := s.held
	s.open, s.held = true, nil
	for i := range held {
		c.account(&held[i])
	}
}
