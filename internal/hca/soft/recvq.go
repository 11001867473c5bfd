package soft

import (
	"fmt"
	"sync/atomic"

	"github.com/godapl/godapl/internal/hca"
)

// maxSGE is how many segments a request or a receive has at most.
const maxSGE = 16

// rxMarks is for how many marks that others leave a receiving half goes on at most, before
// the others have their turns.
const rxMarks = 16

// A receive is a posted receive: where a message goes.
type receive struct {
	id    uint64
	flags hca.Flags
	local hca.Segment
	more  []hca.Segment
	back  *tally
}

// recvq is a bounded queue of receives: a queue pair's own, or the shared one of many.
// Posting takes the lock. Taking takes it for the shared one only: a queue pair's own
// receives are taken by who is inside the gate that its messages come through.
type recvq struct {
	mu     latch
	depth  int
	posted uint64    // so many so far; guarded by mu
	back   tally     // of those, the completions that have been taken
	in     *recvRing // where receives are put; guarded by mu
	out    *recvRing // where they are taken
	tail   atomic.Uint64
	head   atomic.Uint64 // written by who takes
	// missing is set while somebody waits for a receive, and wake tells them.
	missing atomic.Bool
}

// A recvRing is where receives wait, those from one on, and until the next ring's. A queue
// grows by another one: who takes may be looking at the one that is full.
type recvRing struct {
	from  uint64
	slots []receive
	next  atomic.Pointer[recvRing]
}

func (r *recvRing) at(i uint64) *receive { return &r.slots[i&uint64(len(r.slots)-1)] }

// len is how many receives wait for messages.
func (r *recvq) len() int {
	h := r.head.Load()
	return int(r.tail.Load() - h)
}

// used is how many receives are posted whose completion has not been taken. r.mu
// is held.
func (r *recvq) used() int { return int(r.posted - r.back.n.Load()) }

// left is used for a queue to which nobody posts any more.
func (r *recvq) left() int {
	r.mu.lock()
	defer r.mu.unlock()
	return r.used()
}

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
	t := r.tail.Load()
	if r.in == nil {
		r.in = &recvRing{slots: make([]receive, 4)}
		r.out = r.in
	} else if n := len(r.in.slots); int(t-max(r.in.from, r.head.Load())) == n {
		next := &recvRing{from: t, slots: make([]receive, 2*n)}
		r.in.next.Store(next)
		r.in = next
	}
	s := r.in.at(t)
	s.id, s.flags, s.local, s.back = wr.ID, wr.Flags, wr.Local, &r.back
	s.more = append(s.more[:0], wr.More...)
	storeRelease(&r.tail, t+1)
}

// take removes the oldest receive into dst. dst keeps the memory of its list
// of segments, in exchange for the slot's.
func (r *recvq) take(dst *receive) bool {
	s := r.oldest()
	if s == nil {
		return false
	}
	spare := dst.more
	*dst = *s
	s.more = spare[:0]
	r.drop()
	return true
}

// oldest is the oldest receive, where it lies, and leaves it there; nil if there is none.
// It is for who has the right to take.
func (r *recvq) oldest() *receive {
	h := r.head.Load()
	if h == r.tail.Load() {
		return nil
	}
	for next := r.out.next.Load(); next != nil && h >= next.from; next = next.next.Load() {
		r.out = next
	}
	return r.out.at(h)
}

// drop removes the oldest receive, which there is.
func (r *recvq) drop() { storeRelease(&r.head, r.head.Load()+1) }

// takeBehind is take for who has asked to be told of the next receive: whoever posts one
// now either is told of that or is seen here.
func (r *recvq) takeBehind(dst *receive) bool {
	r.mu.lock()
	ok := r.take(dst)
	r.mu.unlock()
	return ok
}

// nextReceive takes the oldest receive that is for this queue pair's connection.
// If there is none, receiveCame is called when there is one.
func (q *qp) nextReceive(dst *receive) bool {
	if q.srq != nil {
		return q.srq.takeFor(dst, q)
	}
	if q.rq.take(dst) {
		return true
	}
	// Ask to be woken, and look again: it may have come in between.
	q.rq.missing.Store(true)
	return q.rq.takeBehind(dst)
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

var errRecvFull = hca.NewError(hca.QueueFull, "post receive", "", "as many receives as the queue is deep are posted or have completions that were not taken: take completions first, or make it deeper (RecvDepth)")

// room is how many octets the receive can hold.
func (rc *receive) room() uint64 {
	n := uint64(rc.local.Len)
	for i := range rc.more {
		n += uint64(rc.more[i].Len)
	}
	return n
}

// at finds the piece of the receive's memory that begins off octets into the
// message, at most n long. frail is as in localMem.
func (rc *receive) at(q *qp, pd *pd, off, n uint64) (b []byte, frail bool, f fault) {
	return scatter(q, pd, rc.local, rc.more, off, n, hca.LocalWrite)
}
