package verbs

import (
	"math/bits"
	"sync/atomic"
	"time"

	"github.com/godapl/godapl/internal/hca"
	"github.com/godapl/godapl/internal/hca/ops"
	"github.com/godapl/godapl/internal/hca/room"
	"github.com/godapl/godapl/internal/hca/verbs/ibv"
)

// sendRec describes a request while the device has it.
type sendRec struct {
	id     uint64
	len    uint64
	bind   *hca.Bind
	posted int64 // since epoch, with latency
	vendor uint32
	op     hca.Op
	status hca.Status
	flags  hca.Flags
	raw    uint8 // status as the device reported it; statuses that do not fit are 0
	// signaled: the device makes a completion of its success.
	signaled  bool
	completed bool
	// internal: a request of the adapter's own.
	internal bool
}

// sendQ is the ring of requests. Requests are numbered from the first one on; the low
// bits of the number are the slot.
//
//	freed <= done <= given <= head
//
// A request waits for its slot until depth requests before it are done. Entries that
// the consumer has not taken are in the completion queue's memory, not in the device's:
// share says how many there may be.
//
// head and given advance under the queue pair's mu, done and seen under the mu of its
// completion queue.
type sendQ struct {
	q     *qp
	recs  []sendRec
	mask  uint64
	depth uint64
	share *room.Share
	head  atomic.Uint64 // requests accepted
	given atomic.Uint64 // requests that the device was given
	done  atomic.Uint64 // requests that have ended
	freed atomic.Uint64 // requests whose entries were taken, or that have no entry
	// answered requests were posted before the latest message of the peer was seen, which may answer them. That does not
	// end them: only the device's report does.
	answered atomic.Uint64
	// overdue is one more than the number of the request whose report makeRoom has waited for in vain: it does not wait
	// for that again. Guarded by the queue pair's mu.
	overdue uint64
	// lastSignaled is one more than the number of the latest signaled request.
	lastSignaled atomic.Uint64
	// suppressed counts suppressed requests, internal the adapter's own, that are
	// not done.
	suppressed, internal atomic.Int64
	reads                atomic.Int64 // reads and atomics that the device has
	seen                 uint64       // one more than the highest number that completed
	run                  uint64       // unsignaled requests since the last signaled one
	every                uint64
	full                 error // returned by a post without room: made once, since programs retry
	// failed: a request has failed, so no later one may succeed.
	failed bool
}

func (s *sendQ) init(q *qp, depth int) {
	s.q = q
	size := uint64(1) << bits.Len(uint(depth+spareSend))
	s.recs, s.mask, s.depth = make([]sendRec, size), size-1, uint64(depth)
	s.every = max(1, uint64(depth)/4)
	s.full = queueFull("PostSend", "send queue", depth)
}

// used counts requests that are not done or whose entries were not taken, without the
// adapter's own.
func (s *sendQ) used() int {
	freed := s.freed.Load()
	return int(s.head.Load()-freed) - int(max(0, s.internal.Load()))
}

// room is the number of further requests that are accepted while the completion queue
// lends no room.
func (s *sendQ) room() int {
	return max(0, min(int(s.depth)-s.outstanding(), s.share.Limit()-s.used()))
}

// borrow is room that borrows from the completion queue if there is none. Called with
// the queue pair's mu held.
func (s *sendQ) borrow() int {
	for {
		limit := s.share.Limit()
		if n := s.room(); n > 0 || s.outstanding() >= int(s.depth) {
			return n
		}
		if !s.share.Borrow(limit) {
			return 0
		}
	}
}

// add keeps the record of a request, without accepting it yet.
func (s *sendQ) add(seq uint64, rec sendRec) *sendRec {
	r := &s.recs[seq&s.mask]
	if s.q.latency != nil {
		if rec.posted = r.posted; seq >= s.head.Load() { // otherwise it has waited behind a fence
			rec.posted = int64(time.Since(epoch))
		}
	}
	*r = rec
	if r.signaled = true; r.flags&hca.Suppress == 0 {
		return r
	}
	// A suppressed request that is signaled anyway reports the end of all requests
	// before it. One at a time is enough, if they are frequent enough that the queue
	// does not fill up. A request that an iWARP device completes out of order, and a
	// request that a fence of this adapter waits for, report only themselves.
	reporting := s.lastSignaled.Load() > s.done.Load() && s.run < s.every
	r.signaled = !reporting || ops.HasResponse(r.op) && (s.q.ad.iwarp || s.q.ad.softFence) || s.q.ad.siw && r.len >= siwBorrows
	return r
}

// sendID is the number that request seq goes to the device with.
func (q *qp) sendID(seq uint64) wrID { return wrID(q.index)<<32 | wrID(seq&q.send.mask) }

// note counts a request that has been added.
func (s *sendQ) note(r *sendRec, seq uint64) {
	if r.signaled {
		s.run = 0
		s.lastSignaled.Store(seq + 1)
	} else {
		s.run++
	}
	if r.flags&hca.Suppress != 0 {
		s.suppressed.Add(1)
	}
	if r.internal {
		s.internal.Add(1)
	}
	if ops.HasResponse(r.op) {
		s.reads.Add(1)
	}
}

// forget undoes note for the last n requests, which the device did not take. They are
// not accepted either, unless they were accepted before and waited behind a fence.
func (s *sendQ) forget(n uint64) {
	head := s.given.Load() - n
	for seq := head; seq < head+n; seq++ {
		r := &s.recs[seq&s.mask]
		if r.flags&hca.Suppress != 0 {
			s.suppressed.Add(-1)
		}
		if r.internal {
			s.internal.Add(-1)
		}
		if ops.HasResponse(r.op) {
			s.reads.Add(-1)
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
	s.given.Store(head)
	if len(s.q.backlog) == 0 {
		s.head.Store(head)
	}
}

// polled notes that the consumer has taken an entry.
func (s *sendQ) polled() { s.freed.Add(1) }

// outstanding counts requests that are not done, without the adapter's own.
func (s *sendQ) outstanding() int {
	return int(int64(s.head.Load()-s.done.Load()) - s.internal.Load())
}

// unreported reports whether the device has requests that no completion will ever
// report.
func (s *sendQ) unreported() bool {
	done, given := s.done.Load(), s.given.Load()
	return given > done && s.lastSignaled.Load() <= done
}

// completed takes a completion of the device. Called with the queue's mu held.
func (s *sendQ) completed(c *cq, w *ibv.WC, slot uint64) {
	done := s.done.Load()
	seq := done + (slot-done)&s.mask
	if seq >= s.given.Load() {
		return // of a queue pair that is gone
	}
	r := &s.recs[slot&s.mask]
	r.completed, r.status, r.vendor = true, status(w.Status), w.VendorErr
	r.raw = uint8(min(w.Status, 255))
	s.seen = max(s.seen, seq+1)
	for ; done < s.seen; done++ {
		r := &s.recs[done&s.mask]
		if r.signaled && !r.completed {
			break // iWARP devices may complete a later one first
		}
		s.retire(c, r)
		s.done.Store(done + 1)
	}
	s.q.progressed(c)
}
