package verbs

import (
	"math/bits"
	"sync/atomic"

	"github.com/godapl/godapl/internal/hca"
	"github.com/godapl/godapl/internal/hca/verbs/ibv"
)

// sendRec is what is known of a request while the device has it.
type sendRec struct {
	id     uint64
	len    uint64
	bind   *hca.Bind
	vendor uint32
	op     hca.Op
	status hca.Status
	flags  hca.Flags
	// signaled: the device makes a completion of its success.
	signaled  bool
	completed bool
	// internal: nobody posted it.
	internal bool
}

// sendQ is the ring of requests. Numbers count from the first request on; the
// slot of a number is its lowest bits.
//
//	freed <= done <= given <= head
//
// head and given are advanced under the queue pair's mu, done and seen under
// that of its completion queue.
type sendQ struct {
	q     *qp
	recs  []sendRec
	mask  uint64
	depth uint64
	head  atomic.Uint64 // requests accepted
	given atomic.Uint64 // requests that the device was given
	done  atomic.Uint64 // requests whose end is known
	freed atomic.Uint64 // slots that came back
	// lastSignaled is one more than the number of the latest signaled request.
	lastSignaled atomic.Uint64
	// silent counts suppressed requests, internal the adapter's own, that are
	// not done.
	silent, internal atomic.Int64
	seen             uint64 // one more than the highest number that completed
	run              uint64 // unsignaled requests since the last signaled one
	every            uint64
}

func (s *sendQ) init(q *qp, depth int) {
	s.q = q
	size := uint64(1) << bits.Len(uint(depth+spareSend))
	s.recs, s.mask, s.depth = make([]sendRec, size), size-1, uint64(depth)
	s.every = max(1, uint64(depth)/4)
}

// room tells how many more requests are accepted.
func (s *sendQ) room() uint64 {
	used := s.head.Load() - s.freed.Load() - uint64(max(0, s.internal.Load()))
	if used >= s.depth {
		return 0
	}
	return s.depth - used
}

// add makes the record of the next request, without accepting it yet: n
// others of the same post are before it.
func (s *sendQ) add(n uint64, wr *hca.SendWR, length uint64) (*sendRec, uint64) {
	seq := s.head.Load() + n
	r := &s.recs[seq&s.mask]
	*r = sendRec{id: wr.ID, len: length, bind: wr.Bind, op: wr.Op, flags: wr.Flags, signaled: true}
	if wr.Flags&hca.Suppress == 0 {
		return r, seq
	}
	// One that is signaled all the same tells of those before it. One at a
	// time is enough, and enough of them that the queue does not fill up. What
	// an iWARP device completes out of order tells of itself only.
	silent := s.lastSignaled.Load() > s.done.Load() && s.run < s.every
	r.signaled = !silent || s.q.ad.iwarp && (wr.Op == hca.OpRead || wr.Op == hca.OpFetchAdd || wr.Op == hca.OpCompareSwap)
	return r, seq
}

// note counts a request that has been added.
func (s *sendQ) note(r *sendRec, seq uint64) {
	if r.signaled {
		s.run = 0
		s.lastSignaled.Store(seq + 1)
	} else {
		s.run++
	}
	if r.flags&hca.Suppress != 0 {
		s.silent.Add(1)
	}
	if r.internal {
		s.internal.Add(1)
	}
}

// forget undoes note for the last n requests that were added: the device did
// not take them.
func (s *sendQ) forget(n uint64) {
	head := s.head.Load() - n
	for seq := head; seq < head+n; seq++ {
		r := &s.recs[seq&s.mask]
		if r.flags&hca.Suppress != 0 {
			s.silent.Add(-1)
		}
		if r.internal {
			s.internal.Add(-1)
		}
	}
	last := s.done.Load()
	for seq := head; seq > last; seq-- {
		if s.recs[(seq-1)&s.mask].signaled {
			last = seq
			break
		}
	}
	s.lastSignaled.Store(last)
	s.head.Store(head)
	s.given.Store(head)
}

// polled gives a slot back.
func (s *sendQ) polled() { s.freed.Add(1) }

// outstanding counts requests that are not done, without the adapter's own.
func (s *sendQ) outstanding() int {
	return int(int64(s.head.Load()-s.done.Load()) - s.internal.Load())
}

// unknown tells that requests were given to the device of which no completion
// will ever tell.
func (s *sendQ) unknown() bool {
	done, given := s.done.Load(), s.given.Load()
	return given > done && s.lastSignaled.Load() <= done
}

// completed takes a completion of the device. Called with the queue's mu held.
func (s *sendQ) completed(c *cq, w *ibv.WC, slot uint64) {
	done := s.done.Load()
	seq := done + (slot-done)&s.mask
	if seq >= s.given.Load() {
		return // of nobody
	}
	r := &s.recs[slot&s.mask]
	r.completed, r.status, r.vendor = true, status(w.Status), w.VendorErr
	s.seen = max(s.seen, seq+1)
	for ; done < s.seen; done++ {
		r := &s.recs[done&s.mask]
		if r.signaled && !r.completed {
			break // iWARP devices may be done with a later one first
		}
		s.retire(c, r)
		s.done.Store(done + 1)
	}
	s.q.progressed(c)
}
