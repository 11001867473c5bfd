package core

import (
	"fmt"
	"sync/atomic"

	"github.com/godapl/godapl/internal/hca"
	"github.com/godapl/godapl/internal/hca/soft/gate"
)

// MaxSGE is how many segments a request or a receive has at most.
const MaxSGE = 16

// RxMarks is for how many marks that others leave a receiving half goes on at most, before
// the others have their turns.
const RxMarks = 16

// A Receive is a posted receive: where a message goes.
type Receive struct {
	ID    uint64
	Flags hca.Flags
	Local hca.Segment
	More  []hca.Segment
	Back  *gate.Tally
}

// RecvQueue is a bounded queue of receives: a queue pair's own, or the shared one of many.
// Posting takes the lock. Taking takes it for the shared one only: a queue pair's own
// receives are taken by who is inside the gate that its messages come through.
type RecvQueue struct {
	mu     gate.SpinLock
	depth  int
	posted uint64     // so many so far; guarded by mu
	back   gate.Tally // of those, the completions that have been taken
	in     *recvRing  // where receives are put; guarded by mu
	out    *recvRing  // where they are taken
	tail   atomic.Uint64
	head   atomic.Uint64 // written by who takes
	// missing is set while somebody waits for a receive, and wake tells them.
	missing atomic.Bool
}

// A recvRing is where receives wait, those from one on, and until the next ring's. A queue
// grows by another one: who takes may be looking at the one that is full.
type recvRing struct {
	from  uint64
	slots []Receive
	next  atomic.Pointer[recvRing]
}

func (r *recvRing) at(i uint64) *Receive { return &r.slots[i&uint64(len(r.slots)-1)] }

// len is how many receives wait for messages.
func (r *RecvQueue) len() int {
	h := r.head.Load()
	return int(r.tail.Load() - h)
}

// used is how many receives are posted whose completion has not been taken. r.mu
// is held.
func (r *RecvQueue) used() int { return int(r.posted - r.back.N.Load()) }

// left is used for a queue to which nobody posts any more.
func (r *RecvQueue) left() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.used()
}

// count counts one more, if there is room. r.mu is held.
func (r *RecvQueue) count() bool {
	if r.used() >= r.depth {
		return false
	}
	r.posted++
	return true
}

// put queues a receive. r.mu is held.
func (r *RecvQueue) put(wr *hca.RecvWR) {
	t := r.tail.Load()
	if r.in == nil {
		r.in = &recvRing{slots: make([]Receive, 4)}
		r.out = r.in
	} else if n := len(r.in.slots); int(t-max(r.in.from, r.head.Load())) == n {
		next := &recvRing{from: t, slots: make([]Receive, 2*n)}
		r.in.next.Store(next)
		r.in = next
	}
	s := r.in.at(t)
	s.ID, s.Flags, s.Local, s.Back = wr.ID, wr.Flags, wr.Local, &r.back
	s.More = append(s.More[:0], wr.More...)
	gate.StoreRelease(&r.tail, t+1)
}

// take removes the oldest receive into dst. dst keeps the memory of its list
// of segments, in exchange for the slot's.
func (r *RecvQueue) take(dst *Receive) bool {
	s := r.Oldest()
	if s == nil {
		return false
	}
	spare := dst.More
	*dst = *s
	s.More = spare[:0]
	r.Drop()
	return true
}

// Oldest is the oldest receive, where it lies, and leaves it there; nil if there is none.
// It is for who has the right to take.
func (r *RecvQueue) Oldest() *Receive {
	h := r.head.Load()
	if h == r.tail.Load() {
		return nil
	}
	for next := r.out.next.Load(); next != nil && h >= next.from; next = next.next.Load() {
		r.out = next
	}
	return r.out.at(h)
}

// Drop removes the oldest receive, which there is.
func (r *RecvQueue) Drop() { gate.StoreRelease(&r.head, r.head.Load()+1) }

// takeBehind is take for who has asked to be told of the next receive: whoever posts one
// now either is told of that or is seen here.
func (r *RecvQueue) takeBehind(dst *Receive) bool {
	r.mu.Lock()
	ok := r.take(dst)
	r.mu.Unlock()
	return ok
}

// NextReceive takes the oldest receive that is for this queue pair's connection.
// If there is none, receiveCame is called when there is one.
func (q *QP) NextReceive(dst *Receive) bool {
	if q.SRQ != nil {
		return q.SRQ.takeFor(dst, q)
	}
	if q.RQ.take(dst) {
		return true
	}
	// Ask to be woken, and look again: it may have come in between.
	q.RQ.missing.Store(true)
	return q.RQ.takeBehind(dst)
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

// Room is how many bytes the receive can hold.
func (rc *Receive) Room() uint64 {
	n := uint64(rc.Local.Len)
	for i := range rc.More {
		n += uint64(rc.More[i].Len)
	}
	return n
}

// At finds the piece of the receive's memory that begins off bytes into the
// message, at most n long. frail is as in LocalMem.
func (rc *Receive) At(q *QP, pd *PD, off, n uint64) (b []byte, frail bool, f fault) {
	return SegmentAt(q, pd, rc.Local, rc.More, off, n, hca.LocalWrite)
}
