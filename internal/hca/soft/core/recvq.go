package core

import (
	"fmt"
	"sync/atomic"

	"github.com/godapl/godapl/internal/hca"
	"github.com/godapl/godapl/internal/hca/soft/gate"
)

// MaxSGE bounds the segments of a request or a receive.
const MaxSGE = 16

// RxMarks bounds how many marks a receive half handles in one run, before other connections run.
const RxMarks = 16

// A Receive is a posted receive: where a message goes.
type Receive struct {
	ID    uint64
	Flags hca.Flags
	Local hca.Segment
	More  []hca.Segment
	Back  *gate.Tally
}

// RecvQueue is a bounded queue of receives: a queue pair's own, or one shared by many. A post takes the lock.
// Taking a receive locks only the shared queue: a queue pair's own receives are taken inside the gate through
// which its messages come.
type RecvQueue struct {
	mu     gate.SpinLock
	depth  int
	posted uint64     // receives posted so far; guarded by mu
	back   gate.Tally // receives whose completion has been taken
	in     *recvRing  // where receives are put; guarded by mu
	out    *recvRing  // where they are taken
	tail   atomic.Uint64
	head   atomic.Uint64 // written inside the gate of the taking half
	// missing is set while a message waits for a receive; the next post then calls recvPosted.
	missing atomic.Bool
}

// A recvRing holds receives, from number from on up to the next ring's. A queue grows by another ring, because
// the full one may be in use by the goroutine that takes.
type recvRing struct {
	from  uint64
	slots []Receive
	next  atomic.Pointer[recvRing]
}

func (r *recvRing) at(i uint64) *Receive { return &r.slots[i&uint64(len(r.slots)-1)] }

// len is the number of receives that wait for messages.
func (r *RecvQueue) len() int {
	h := r.head.Load()
	return int(r.tail.Load() - h)
}

// used is the number of posted receives whose completion has not been taken. The caller holds r.mu.
func (r *RecvQueue) used() int { return int(r.posted - r.back.N.Load()) }

// usedAfterEnd is used, for a queue without further posts.
func (r *RecvQueue) usedAfterEnd() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.used()
}

// count counts one more receive, if there is room. The caller holds r.mu.
func (r *RecvQueue) count() bool {
	if r.used() >= r.depth {
		return false
	}
	r.posted++
	return true
}

// put queues a receive. The caller holds r.mu.
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

// take moves the oldest receive into dst. The slot gets dst's segment list in exchange, for reuse.
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

// Oldest returns the oldest receive without removing it; nil if there is none. The caller has the right to
// take.
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

// Drop removes the oldest receive, which must exist.
func (r *RecvQueue) Drop() { gate.StoreRelease(&r.head, r.head.Load()+1) }

// takeBehind is take after setting missing. The lock closes the race with PostRecv: either PostRecv sees
// missing, or takeBehind sees the receive.
func (r *RecvQueue) takeBehind(dst *Receive) bool {
	r.mu.Lock()
	ok := r.take(dst)
	r.mu.Unlock()
	return ok
}

// NextReceive takes the oldest receive for this queue pair's connection. If there is none, recvPosted is
// called when one is posted.
func (q *QP) NextReceive(dst *Receive) bool {
	if q.SRQ != nil {
		return q.SRQ.takeFor(dst, q)
	}
	if q.RQ.take(dst) {
		return true
	}
	// Ask to be called, then try again: a receive may have been posted in between.
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

// Room is the number of bytes that the receive can hold.
func (rc *Receive) Room() uint64 {
	n := uint64(rc.Local.Len)
	for i := range rc.More {
		n += uint64(rc.More[i].Len)
	}
	return n
}

// At returns the part of the receive's memory at offset off, at most n bytes. frail is as in LocalMem.
func (rc *Receive) At(q *QP, pd *PD, off, n uint64) (b []byte, frail bool, f fault) {
	return SegmentAt(q, pd, rc.Local, rc.More, off, n, hca.LocalWrite)
}
