package core

import (
	"sync/atomic"

	"github.com/godapl/godapl/internal/hca"
	"github.com/godapl/godapl/internal/hca/soft/gate"
	"github.com/godapl/godapl/internal/hca/soft/progress"
)

// A Transport is a queue pair's connection, as the code that all paths share sees it. The queue pair's gate Tx
// guards its send half. Package sendhalf has a default for each method that a simple connection does not need. Whatever
// is passed to a method by reference escapes to the heap, because the compiler cannot look through an
// interface; so no method takes a pointer to its caller's stack.
type Transport interface {
	hca.Poster
	// RunSend runs the send half, or marks the gate for the goroutine inside.
	RunSend()
	// ReceivePosted continues what waits for a receive of this queue pair. The caller is inside no gate and
	// holds no lock.
	ReceivePosted()
	// End makes the peer, or the receive half, notice that the state is StateOver, and why. The caller is
	// inside no gate, and runs the send half then.
	End(kind hca.ConnEventKind, err error)
	// AwaitTeardown returns when neither this side nor the peer accesses memory of the other for the connection,
	// which has ended.
	AwaitTeardown()
	// Evict copies what a half-sent frame still needs of memory that is deregistered.
	Evict(mem []byte)
	// Gates returns the words of the receive half's gate, and of the peer's gate inside which this side's
	// receives are filled; nil where there is none.
	Gates() (receiving, peer *atomic.Uint64)
	// TryReceiving enters the gate inside which this side's receives complete, if it is free. LeaveReceiving
	// leaves it, and has the work done that others have marked.
	TryReceiving() bool
	LeaveReceiving()
	// AppendStays lists the peer's direct accesses to this side's memory under a key that is no longer valid.
	AppendStays(list []gate.Stay, g *KeyEntry) []gate.Stay
	// CheckCaps returns an error if the connection does not support an operation.
	CheckCaps(op hca.Op) error
	// MakeRoom sends what waits to be sent with later requests, and reads what the peer has handled without
	// waking this side, to make room for posts. The caller is inside no gate.
	MakeRoom()
	// Concerns reports whether the consumer should take part in the send half's work, because it polls a queue
	// of this queue pair.
	Concerns(c *progress.Consumer) bool
}

// Polled is a connection that the consumer of a completion queue drives while it polls. One that is conns.Announced calls
// NotePolled.
type Polled interface {
	// Poll makes progress on the goroutine of a queue's consumer. If to is not nil, a completion for that
	// queue may be stored there; Poll reports that: see CQ.progress.
	Poll(c *CQ, to *hca.WC) (one bool)
	// Unpolled and Guarded are those of conns.Conn.
	Unpolled()
	Guarded() bool
	// SharesMemory reports that the peer is another process with memory in common.
	SharesMemory() bool
}

// NotePolled notes at both queues that tc is polled: the consumer of the other one is perhaps the same. The flags
// belong to tc.
func (q *QP) NotePolled(tc Polled, flags *[2]atomic.Bool) {
	q.SendCQ.conns.Note(tc, &flags[0])
	if q.RecvCQ != q.SendCQ {
		q.RecvCQ.conns.Note(tc, &flags[1])
	}
}

// Transport returns the queue pair's connection; nil as long as there is none.
func (q *QP) Transport() Transport {
	if p := q.transport.Load(); p != nil {
		return *p
	}
	return nil
}
