package core

import (
	"sync/atomic"
	"time"

	"github.com/godapl/godapl/internal/hca"
)

// Timing measures requests from their post to their completion, if QPConfig.Latency asks for it. Posts are then
// made through the queue pair (see Direct), which notes the time before it enters the gate. The gate Tx guards
// all but begun and inboxed.
type Timing struct {
	// begun is the time of the latest post. If others post at the same time, a request that waits for the gate
	// may get the time of a later one: what it shows is then short by that wait.
	begun atomic.Int64
	inbox int64 // the time of the request that is taken from the inbox; 0: none
	// inboxed has the times of the requests in the inbox, whose mu guards it.
	inboxed []int64
	at      []int64 // by slot of the send queue: the time of its post
	// ops has a histogram for each operation that has succeeded. They are made when they are needed.
	ops [hca.OpRecv]*hca.Latency
}

func now() int64 { return int64(time.Since(epoch)) }

// Direct is what the layer above may post to instead of the queue pair.
func (q *QP) Direct(t Transport) hca.Poster {
	if q.SQ.times != nil {
		return nil
	}
	return t
}

// begin notes that a post begins. A nil Timing does not.
func (t *Timing) begin() {
	if t != nil {
		t.begun.Store(now())
	}
}

// pushed keeps the time of the request that was just queued.
func (t *Timing) pushed(s *SendQueue) {
	if n := len(s.slots); n != len(t.at) { // the queue has grown
		at := make([]int64, n)
		for i := s.Head; i != s.Tail && len(t.at) > 0; i++ {
			at[i&uint64(n-1)] = t.at[i&uint64(len(t.at)-1)]
		}
		t.at = at
	}
	begun := t.inbox
	if begun == 0 {
		begun = t.begun.Load()
	}
	t.at[(s.Tail-1)&uint64(len(t.at)-1)] = begun
}

// done records the request that has succeeded: the oldest in the queue or, if that is empty, one that was
// carried out at once.
func (t *Timing) done(s *SendQueue, op hca.Op) {
	begun := t.begun.Load()
	if !s.Empty() {
		begun = t.at[s.Head&uint64(len(t.at)-1)]
	}
	h := t.ops[op]
	if h == nil {
		h = new(hca.Latency)
		t.ops[op] = h
	}
	h.Record(time.Duration(now() - begun))
}

// read copies the histograms. The caller is inside tx.
func (t *Timing) read() (all [hca.OpRecv]*hca.Latency) {
	if t == nil {
		return all
	}
	for op, h := range t.ops {
		if h != nil {
			copied := *h
			all[op] = &copied
		}
	}
	return all
}
