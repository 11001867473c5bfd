package soft

import (
	"sync/atomic"

	"github.com/godapl/godapl/internal/hca"
)

// A transport is a queue pair's connection, as all that the paths have in common sees it.
// Its sending half is guarded by the queue pair's tx gate. What is passed to a method by
// reference is allocated, since the compiler cannot look through an interface; so no
// method takes anything of its caller's stack.
type transport interface {
	hca.Poster
	// runSend does what there is to do on the sending half, or leaves word for whoever
	// is at it.
	runSend()
	// receivePosted has the half that waits for a receive of this queue pair go on. The
	// caller is inside no gate and holds no lock.
	receivePosted()
	// end has the peer, or the receiving half, notice that the state is over, and why.
	// The caller is inside no gate, and runs the sending half then.
	end(kind hca.ConnEventKind, err error)
	// awaitApart returns when neither this side nor the peer uses memory of the other for
	// the connection, which has ended.
	awaitApart()
	// evict keeps a copy of what is half sent of memory that goes away.
	evict(mem []byte)
	// gates are the words of the gate of the receiving half, and of the one of the peer
	// through which this side's receives are filled; nil where there is none.
	gates() (receiving, peer *atomic.Uint64)
	// appendStays lists the peer's own accesses to this side's memory under a key that is
	// no longer good.
	appendStays(list []stay, g *grant) []stay
	// checkCaps tells whether the connection can do an operation.
	checkCaps(op hca.Op) error
	// makeRoom takes what the peer has handled without a word. It reports whether that
	// can have made room for posts.
	makeRoom() bool
	// concerns tells whether who polls a queue has a part in the sending half's work.
	concerns(c *consumer) bool
}

// polled is what the consumer of a completion queue drives while it polls.
type polled interface {
	// poll is progress on the goroutine of the consumer of a queue. If to is not nil, a
	// completion for that queue may come there instead, which poll reports: see cq.progress.
	poll(c *cq, to *hca.WC) (one bool)
	// unpolled is the word that nobody polls from here on.
	unpolled()
}

// transport is the queue pair's connection, or nil as long as there is none.
func (q *qp) transport() transport {
	if p := q.link.Load(); p != nil {
		return *p
	}
	return nil
}
