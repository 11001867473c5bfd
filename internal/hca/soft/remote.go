package soft

import (
	"sync/atomic"

	"github.com/godapl/godapl/internal/hca"
)

// A remote is a queue pair's connection with another process, as what all paths
// have in common sees it: over a stream, or over shared memory. Its sending half
// is guarded by the queue pair's tx gate, its receiving half by a gate of its own.
// What is done for each message is not in here: what is passed by reference
// through an interface is allocated.
type remote interface {
	runner
	alarm
	pollable
	// overTx is called inside tx after the send side has been flushed, possibly
	// more than once.
	overTx()
	// end has the receiving half notice that the state is over. The caller is
	// inside no gate.
	end()
	// receiving is the gate of the receiving half.
	receiving() *rxGate
	// evict keeps a copy of what is half sent of memory that goes away.
	evict(mem []byte)
	// checkCaps tells whether the connection can do an operation.
	checkCaps(op hca.Op) error
	// visits lists the peer's own accesses to this side's memory under a key that is
	// no longer good.
	visits(list []turn, g *grant) []turn
}

// pollable is what the consumer of a completion queue drives while it polls.
type pollable interface {
	// poll is progress on the goroutine of the consumer of a queue. If to is not nil, a
	// completion for that queue may come there instead, which poll reports: see cq.progress.
	poll(c *cq, to *hca.WC) (one bool)
	// unpolled is the word that nobody polls from here on.
	unpolled()
	// arm sees to it that somebody notices what comes next.
	arm()
	polling() *pollState
	// waits tells the watch, once a round, whether posted requests wait for a look
	// of the consumer's; rearm is the watch's word that nobody polls any more.
	waits() bool
	rearm()
	// steady is its word that somebody has polled for a while.
	steady()
}

// pollState is what the watch looks at.
type pollState struct {
	polled  atomic.Bool // somebody has polled since the watch last looked
	watched atomic.Bool
}

func (s *pollState) polling() *pollState { return s }

// remote is the connection with another process, or nil.
func (q *qp) remote() remote {
	if c := q.conn.Load(); c != nil {
		return c
	}
	if c := q.shm.Load(); c != nil {
		return c
	}
	return nil
}

func (c *tcpConn) receiving() *rxGate                  { return &c.rx }
func (c *tcpConn) visits(list []turn, _ *grant) []turn { return list }

func (c *tcpConn) waits() bool { return c.gatherRound() && !c.ending.Load() }

// settled tells whether the requests can be flushed: nobody touches their memory any more.
// For reads and atomics that the peer has not answered, the receiving half may be placing
// an answer this moment. It is asked to come to its end, and runs the sending half then.
// The caller is inside tx, and the state is over.
func (c *tcpConn) settled() bool {
	if c.out.out == 0 || c.shut.Load() {
		return true
	}
	c.a.engine.do(c.end)
	return false
}

// beforeFlush takes the reads that were answered before the end, and the one at fault.
func (c *tcpConn) beforeFlush() {
	c.collectReads()
	c.faulty()
	c.out.hold = true
	c.out.keep(nil)
}
