package core

import (
	"sync/atomic"

	"github.com/godapl/godapl/internal/hca"
	"github.com/godapl/godapl/internal/hca/soft/gate"
	"github.com/godapl/godapl/internal/hca/soft/progress"
)

// A Transport is a queue pair's connection, as all that the paths have in common sees it.
// Its sending half is guarded by the queue pair's tx gate. What is passed to a method by
// reference is allocated, since the compiler cannot look through an interface; so no
// method takes anything of its caller's stack.
type Transport interface {
	hca.Poster
	// RunSend does what there is to do on the sending half, or leaves word for whoever
	// is at it.
	RunSend()
	// ReceivePosted has the half that waits for a receive of this queue pair go on. The
	// caller is inside no gate and holds no lock.
	ReceivePosted()
	// End has the peer, or the receiving half, notice that the state is over, and why.
	// The caller is inside no gate, and runs the sending half then.
	End(kind hca.ConnEventKind, err error)
	// AwaitApart returns when neither this side nor the peer uses memory of the other for
	// the connection, which has ended.
	AwaitApart()
	// Evict keeps a copy of what is half sent of memory that goes away.
	Evict(mem []byte)
	// Gates are the words of the gate of the receiving half, and of the one of the peer
	// through which this side's receives are filled; nil where there is none.
	Gates() (receiving, peer *atomic.Uint64)
	// AppendStays lists the peer's own accesses to this side's memory under a key that is
	// no longer good.
	AppendStays(list []gate.Stay, g *KeyEntry) []gate.Stay
	// CheckCaps tells whether the connection can do an operation.
	CheckCaps(op hca.Op) error
	// MakeRoom takes what the peer has handled without a word. It reports whether that
	// can have made room for posts.
	MakeRoom() bool
	// Concerns tells whether who polls a queue has a part in the sending half's work.
	Concerns(c *progress.Consumer) bool
}

// Polled is what the consumer of a completion queue drives while it polls.
type Polled interface {
	// Poll is progress on the goroutine of the consumer of a queue. If to is not nil, a
	// completion for that queue may come there instead, which poll reports: see CQ.progress.
	Poll(c *CQ, to *hca.WC) (one bool)
	// Unpolled is the word that nobody polls from here on.
	Unpolled()
}

// Transport is the queue pair's connection, or nil as long as there is none.
func (q *QP) Transport() Transport {
	if p := q.link.Load(); p != nil {
		return *p
	}
	return nil
}
