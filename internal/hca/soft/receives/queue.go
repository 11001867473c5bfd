package receives

import (
	"sync/atomic"

	"github.com/godapl/godapl/internal/hca"
	"github.com/godapl/godapl/internal/hca/soft/gate"
)

// A Receive is a posted receive: where a message goes.
type Receive struct {
	ID    uint64
	Flags hca.Flags
	Local hca.Segment
	More  []hca.Segment
	Back  *gate.Tally
}

// A Queue is a bounded queue of receives: a queue pair's own, or one shared by many. A post takes the lock.
// Taking a receive locks only the shared queue: a queue pair's own receives are taken inside the gate through
// which its messages come.
type Queue struct {
	Mu     gate.SpinLock
	Limit  int           // receives at most
	posted uint64        // receives posted so far; guarded by Mu
	Back   gate.Tally    // receives whose completion has been taken
	lost   atomic.Uint64 // receives whose completion was lost
	in     *ring         // where receives are put; guarded by Mu
	out    *ring         // where they are taken
	tail   atomic.Uint64
	head   atomic.Uint64 // written inside the gate of the taking half
	// Missing is set while a message waits for a receive; the next post then continues it.
	Missing atomic.Bool
}

// A ring holds receives, from number from on up to the next ring's. A queue grows by another ring, because
// the full one may be in use by the goroutine that takes.
type ring struct {
	from  uint64
	slots []Receive
	next  atomic.Pointer[ring]
}

func (r *ring) at(i uint64) *Receive { return &r.slots[i&uint64(len(r.slots)-1)] }

// Len is the number of receives that wait for messages.
func (r *Queue) Len() int {
	h := r.head.Load()
	return int(r.tail.Load() - h)
}

// Used is the number of posted receives whose completion has not been taken. The caller holds r.Mu.
func (r *Queue) Used() int { return int(r.posted - r.Back.N.Load() - r.lost.Load()) }

// Lose counts a receive whose completion found no room, so that nobody will take it.
func (r *Queue) Lose() { r.lost.Add(1) }

// UsedAfterEnd is Used, for a queue without further posts.
func (r *Queue) UsedAfterEnd() int {
	r.Mu.Lock()
	defer r.Mu.Unlock()
	return r.Used()
}

// Count counts one more receive, if there is room. The caller holds r.Mu.
func (r *Queue) Count() bool {
	if r.Used() >= r.Limit {
		return false
	}
	r.posted++
	return true
}

// Uncount takes the last Count back. The caller holds r.Mu.
func (r *Queue) Uncount() { r.posted-- }

// Put queues a receive. The caller holds r.Mu.
func (r *Queue) Put(wr *hca.RecvWR) {
	t := r.tail.Load()
	if r.in == nil {
		r.in = &ring{slots: make([]Receive, 4)}
		r.out = r.in
	} else if n := len(r.in.slots); int(t-max(r.in.from, r.head.Load())) == n {
		next := &ring{from: t, slots: make([]Receive, 2*n)}
		r.in.next.Store(next)
		r.in = next
	}
	s := r.in.at(t)
	s.ID, s.Flags, s.Local, s.Back = wr.ID, wr.Flags, wr.Local, &r.Back
	s.More = append(s.More[:0], wr.More...)
	gate.StoreRelease(&r.tail, t+1)
}

// Take moves the oldest receive into dst. The slot gets dst's segment list in exchange, for reuse.
func (r *Queue) Take(dst *Receive) bool {
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
func (r *Queue) Oldest() *Receive {
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
func (r *Queue) Drop() { gate.StoreRelease(&r.head, r.head.Load()+1) }

// DropAll removes all receives; they have no completions. The caller holds r.Mu, and nobody takes any.
func (r *Queue) DropAll() {
	r.posted -= uint64(r.Len())
	r.head.Store(r.tail.Load())
}

// TakeBehind is Take after Missing was set. The lock closes the race with a post: either the post sees
// Missing, or TakeBehind sees the receive.
func (r *Queue) TakeBehind(dst *Receive) bool {
	r.Mu.Lock()
	ok := r.Take(dst)
	r.Mu.Unlock()
	return ok
}

// Room is the number of bytes that the receive can hold.
func (rc *Receive) Room() uint64 {
	n := uint64(rc.Local.Len)
	for i := range rc.More {
		n += uint64(rc.More[i].Len)
	}
	return n
}
