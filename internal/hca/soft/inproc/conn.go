package inproc

import (
	"sync/atomic"

	"github.com/godapl/godapl/internal/hca"
	"github.com/godapl/godapl/internal/hca/ops"
	"github.com/godapl/godapl/internal/hca/soft/core"
	"github.com/godapl/godapl/internal/hca/soft/progress"
	"github.com/godapl/godapl/internal/hca/soft/rawmem"
	"github.com/godapl/godapl/internal/hca/soft/recvhalf"
	"github.com/godapl/godapl/internal/hca/soft/sendhalf"
)

// A Conn is one side of a connection between two queue pairs of this process. All its work is done inside the
// gate Tx of its queue pair: it carries requests out in the memory of both sides, and completes the receives of
// the peer.
type Conn struct {
	q      *core.QP
	peer   *core.QP
	peerPD *core.PD // the peer's protection domain
	// write is what a key of the peer must allow for a write: core.QP.Needs.
	write   hca.Access
	noReads bool // reads and atomics were not agreed
	flushed bool // the peer's receives have been flushed

	recvhalf.Message // of this side, to the peer
	sendhalf.Half
}

func newConn(q, peer *core.QP, readsOut int) *Conn {
	c := &Conn{q: q, peer: peer, peerPD: peer.PD, write: peer.Needs(hca.RemoteWrite), noReads: readsOut == 0}
	c.InitSend(q, c)
	return c
}

// Pump implements sendhalf.Path.
func (c *Conn) Pump(deferred *core.Deferred) {
	q := c.q
	budget := rawmem.RunSize
	for q.SQ.Head != q.SQ.Tail {
		r := q.SQ.At(q.SQ.Head)
		status, ok := c.carryOut(r, &budget, deferred)
		if !ok {
			if budget <= 0 {
				q.Adapter.Engine.Schedule(q) // the engine does the rest
			}
			return
		}
		q.SQ.Head++
		q.SQ.Next = q.SQ.Head
		q.Complete(&r.WR, r.Total, status, deferred)
		if status != hca.StatusOK {
			c.breakNow(r.WR.Op, status, deferred)
			c.Flush(deferred)
			return
		}
	}
	// Requests that were posted before the disconnect may still be in the inbox.
	if q.State.Load() == core.StateClosing && q.Inboxed.Load() == 0 {
		q.MarkOver(hca.EventDisconnected, nil)
		c.peer.MarkOver(hca.EventDisconnected, peerError(hca.EventDisconnected, nil))
		deferred.Run(c.peer)
		c.Flush(deferred)
	}
}

// Flush implements sendhalf.Path. It also flushes the receives of the peer, which this gate guards.
func (c *Conn) Flush(deferred *core.Deferred) {
	if !c.q.Flushable() {
		return
	}
	c.Unstall(c.peer, false)
	c.q.FlushSend(deferred)
	if c.flushed || c.peer.State.Load() != core.StateOver {
		return
	}
	c.flushed = true
	c.Message.Flush(c.peer, deferred)
}

// breakNow ends the connection from inside tx, because of a request with that status.
func (c *Conn) breakNow(op hca.Op, status hca.Status, deferred *core.Deferred) {
	err := core.WorkError(op, status)
	c.q.BreakNow(err)
	theirs := hca.Wrap(hca.Broken, "connection", "", theyBroke, err)
	switch status {
	case hca.StatusRemoteAccess, hca.StatusRemoteInvalid, hca.StatusRemoteOp, hca.StatusReceiverNotReady:
		theirs = core.Refusal(op, status, theyBroke, err)
	}
	c.peer.MarkOver(hca.EventBroken, theirs)
	deferred.Run(c.peer)
}

// End implements core.Transport.
func (c *Conn) End(kind hca.ConnEventKind, err error) {
	c.peer.MarkOver(kind, peerError(kind, err))
	c.q.RunTx()
	c.peer.RunTx()
}

// peerError is the error with which the other side of an in-process connection ends.
func peerError(kind hca.ConnEventKind, err error) error {
	if kind == hca.EventDisconnected {
		return hca.NewError(hca.Disconnected, "connection", "", "the peer disconnected")
	}
	return hca.Wrap(hca.Broken, "connection", "", theyBroke, err)
}

const theyBroke = "the peer broke it"

// ReceivePosted runs the peer's send half at once, on this goroutine: waking the engine for each receive would
// cost far more than a message.
func (c *Conn) ReceivePosted() { c.peer.RunTx() }

func (c *Conn) Concerns(to *progress.Consumer) bool { return c.q.PolledBy(to) || c.peer.PolledBy(to) }

func (c *Conn) Gates() (receiving, peer *atomic.Uint64) { return nil, &c.peer.Tx.Word }

// TryReceiving and LeaveReceiving implement core.Transport: the peer's gate is the one.
func (c *Conn) TryReceiving() bool { return c.peer.Tx.TryEnter() }
func (c *Conn) LeaveReceiving()    { c.peer.LeaveTx() }

func (c *Conn) CheckCaps(op hca.Op) error {
	if ops.HasResponse(op) && c.noReads {
		return core.ErrNoReads(op)
	}
	return nil
}
