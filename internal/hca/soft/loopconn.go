package soft

import (
	"sync/atomic"

	"github.com/godapl/godapl/internal/hca"
)

// A loopConn is one side of a connection between two queue pairs of this process. All of its
// work is done inside tx of its queue pair: requests are carried out in the memory of both
// sides, and complete the receives of the peer.
type loopConn struct {
	q    *qp
	peer *qp
	far  *pd // the peer's
	cur  receive
	// curOn tells that cur is a receive of the peer's that has been taken.
	curOn   bool
	mute    bool // no reads and atomics were agreed
	flushed bool // the peer's receives have been flushed
	stall   stall
}

// runSend does what there is to do on the sending half, or leaves word for whoever is at it.
func (c *loopConn) runSend() {
	if !c.q.tx.enter() {
		return
	}
	var af after
	c.pump(&af)
	c.leave(&af)
}

// leave lets go of tx, doing first what others have left word for, and then
// what may only be done outside.
func (c *loopConn) leave(af *after) {
	for c.q.tx.leave() {
		c.pump(af)
	}
	af.finish()
}

// pump starts and completes requests as far as a bounded amount of work goes.
// The caller is inside tx.
func (c *loopConn) pump(af *after) {
	q := c.q
	switch q.sendTurn() {
	case turnNone:
		return
	case turnOver:
		c.flush(af)
		return
	}
	budget := turnSize
	for q.sq.head != q.sq.tail {
		r := q.sq.at(q.sq.head)
		status, ok := c.carryOut(r, &budget, af)
		if !ok {
			if budget <= 0 {
				q.a.engine.schedule(q) // the rest is not the caller's
			}
			return
		}
		q.sq.head++
		q.sq.next = q.sq.head
		q.complete(&r.wr, r.total, status, af)
		if status != hca.StatusOK {
			c.breakNow(workError(r.wr.Op, status), af)
			c.flush(af)
			return
		}
	}
	// What was posted before the disconnect may be in the inbox still.
	if q.state.Load() == stClosing && q.inboxed.Load() == 0 {
		q.markOver(hca.EventDisconnected, nil)
		c.peer.markOver(hca.EventDisconnected, peerError(hca.EventDisconnected, nil))
		af.run = c.peer
		c.flush(af)
	}
}

// flush completes the send side as flushed, and the receives of the peer, which this gate
// guards. The caller is inside tx, and the state is over.
func (c *loopConn) flush(af *after) {
	if !c.q.flushable() {
		return
	}
	c.stall.clear()
	c.q.flushSend(af)
	if c.flushed || c.peer.state.Load() != stOver {
		return
	}
	c.flushed = true
	on := c.curOn
	c.curOn = false
	c.peer.flushRecv(&c.cur, on, af)
}

// breakNow ends the connection from inside tx.
func (c *loopConn) breakNow(err error, af *after) {
	c.q.breakNow(err)
	c.peer.markOver(hca.EventBroken, peerError(hca.EventBroken, err))
	af.run = c.peer
}

// end is qp.end's part.
func (c *loopConn) end(kind hca.ConnEventKind, err error) {
	c.peer.markOver(kind, peerError(kind, err))
	c.q.runTx()
	c.peer.runTx()
}

// peerError is how the other side of an in-process connection sees the end.
func peerError(kind hca.ConnEventKind, err error) error {
	if kind == hca.EventDisconnected {
		return hca.NewError(hca.Disconnected, "connection", "", "the peer disconnected")
	}
	return hca.Wrap(hca.Broken, "connection", "", "the peer broke it", err)
}

// receivePosted has the peer's sending half go on, at once and on this goroutine: to have
// the engine wake up for each receive would cost far more than a message does.
func (c *loopConn) receivePosted() { c.peer.runTx() }

func (c *loopConn) concerns(to *consumer) bool { return c.q.polledBy(to) || c.peer.polledBy(to) }

func (c *loopConn) gates() (receiving, peer *atomic.Uint64)  { return nil, &c.peer.tx.word }
func (c *loopConn) appendStays(list []stay, _ *grant) []stay { return list }
func (c *loopConn) awaitApart()                              {}
func (c *loopConn) evict([]byte)                             {} // nothing outlasts a gate
func (c *loopConn) makeRoom() bool                           { return false }

func (c *loopConn) checkCaps(op hca.Op) error {
	if answered(op) && c.mute {
		return errMute(op)
	}
	return nil
}
