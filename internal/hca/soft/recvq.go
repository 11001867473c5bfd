package soft

import (
	"fmt"
	"sync/atomic"

	"github.com/godapl/godapl/internal/hca"
)

// A receive is a posted receive: where a message goes.
type receive struct {
	id    uint64
	flags hca.Flags
	local hca.Segment
	more  []hca.Segment
	back  *tally
}

// recvq is a bounded queue of receives: a queue pair's own, or the shared one
// of many.
type recvq struct {
	mu    latch
	slots []receive // ring, grown up to depth
	head  uint64
	tail  uint64
	depth int

	posted uint64 // so many so far; guarded by mu
	back   tally  // of those, the completions that have been taken
	// missing is set while somebody waits for a receive, and wake tells them.
	missing atomic.Bool
}

func (r *recvq) len() int { return int(r.tail - r.head) }

// used is how many receives are posted whose completion has not been taken. r.mu
// is held.
func (r *recvq) used() int { return int(r.posted - r.back.n.Load()) }

// count counts one more, if there is room. r.mu is held.
func (r *recvq) count() bool {
	if r.used() >= r.depth {
		return false
	}
	r.posted++
	return true
}

// put queues a receive. r.mu is held.
func (r *recvq) put(wr *hca.RecvWR) {
	if n := r.len(); n == len(r.slots) {
		r.grow(max(4, 2*n))
	}
	s := &r.slots[r.tail&uint64(len(r.slots)-1)]
	s.id, s.flags, s.local, s.back = wr.ID, wr.Flags, wr.Local, &r.back
	s.more = append(s.more[:0], wr.More...)
	r.tail++
}

func (r *recvq) grow(n int) {
	size := 1
	for size < n {
		size <<= 1
	}
	slots := make([]receive, size)
	for i := r.head; i != r.tail; i++ {
		slots[i&uint64(size-1)] = r.slots[i&uint64(len(r.slots)-1)]
	}
	r.slots = slots
}

// take removes the oldest receive into dst. dst keeps the memory of its list
// of segments, in exchange for the slot's.
func (r *recvq) take(dst *receive) bool {
	r.mu.lock()
	ok := r.takeLocked(dst)
	r.mu.unlock()
	return ok
}

func (r *recvq) takeLocked(dst *receive) bool {
	if r.head == r.tail {
		return false
	}
	s := &r.slots[r.head&uint64(len(r.slots)-1)]
	spare := dst.more
	*dst = *s
	s.more = spare[:0]
	r.head++
	return true
}

func checkRecv(wr *hca.RecvWR, maxSGE int) error {
	if 1+len(wr.More) > max(maxSGE, 1) {
		return hca.NewError(hca.Invalid, "post receive", "", fmt.Sprintf("%d segments, but at most %d are possible", 1+len(wr.More), max(maxSGE, 1)))
	}
	if wr.Flags&^(hca.Quiet|hca.Private) != 0 {
		return hca.NewError(hca.Invalid, "post receive", "", "a receive takes no flags but unsignalled")
	}
	return nil
}

var errRecvFull = hca.NewError(hca.QueueFull, "post receive", "", "as many receives as the queue is deep are posted or have completions that were not taken: take completions first")

// room is how many octets the receive can hold.
func (rc *receive) room() uint64 {
	n := uint64(rc.local.Len)
	for i := range rc.more {
		n += uint64(rc.more[i].Len)
	}
	return n
}

// at finds the piece of the receive's memory that begins off octets into the
// message, at most n long.
func (rc *receive) at(q *qp, pd *pd, off, n uint64) ([]byte, fault) {
	return scatter(q, pd, rc.local, rc.more, off, n, hca.LocalWrite)
}

// scatter finds the piece of memory that lies off octets into a list of
// segments, at most n long, checking the one segment that it is in.
func scatter(q *qp, pd *pd, first hca.Segment, more []hca.Segment, off, n uint64, need hca.Access) ([]byte, fault) {
	seg := first
	for i := 0; ; i++ {
		if off < uint64(seg.Len) {
			break
		}
		off -= uint64(seg.Len)
		if i == len(more) {
			return nil, faultBounds
		}
		seg = more[i]
	}
	b, f := localMem(pd, seg, need)
	if f != faultNone {
		return nil, f
	}
	b = b[off:]
	if uint64(len(b)) > n {
		b = b[:n]
	}
	return b, faultNone
}

// localMem finds the memory of a local segment.
func localMem(pd *pd, seg hca.Segment, need hca.Access) ([]byte, fault) {
	g := pd.a.keys.get(seg.Key)
	switch {
	case g == nil || g.mw != nil:
		return nil, faultKey
	case g.pd != pd:
		return nil, faultZone
	case g.access&need != need:
		return nil, faultRights
	}
	off := seg.Addr - g.addr
	if seg.Addr < g.addr || off > uint64(len(g.bytes)) || uint64(seg.Len) > uint64(len(g.bytes))-off {
		return nil, faultBounds
	}
	return g.bytes[off : off+uint64(seg.Len) : off+uint64(seg.Len)], faultNone
}
