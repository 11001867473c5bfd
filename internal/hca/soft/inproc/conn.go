package inproc

import (
	"sync/atomic"

	"github.com/godapl/godapl/internal/hca"
	"github.com/godapl/godapl/internal/hca/soft/core"
	"github.com/godapl/godapl/internal/hca/soft/gate"
	"github.com/godapl/godapl/internal/hca/soft/progress"
)

// A Conn is one side of a connection between two queue pairs of this process. All its work is done inside the
// gate Tx of its queue pair: it carries requests out in the memory of both sides, and completes the receives of
// the peer.
type Conn struct {
	q    *core.QP
	peer *core.QP
	far  *core.PD // the peer's protection domain
	cur  core.Receive
	// curOn reports that cur is a receive taken from the peer.
	curOn   bool
	mute    bool // reads and atomics were not agreed
	flushed bool // the peer's receives have been flushed
	stall   progress.WaitTimer
}

// RunSend runs the send half, or marks the gate for the goroutine inside.
func (c *Conn) RunSend() {
	if !c.q.Tx.Enter() {
		return
	}
	var af core.Deferred
	c.pump(&af)
	c.leave(&af)
}

// leave leaves tx. Before, it does the work that others have marked; after, what may only be done outside.
func (c *Conn) leave(af *core.Deferred) {
	for c.q.Tx.Leave() {
		c.pump(af)
	}
	af.Finish()
}

// pump starts and completes requests, within a bounded amount of work. The caller is inside tx.
func (c *Conn) pump(af *core.Deferred) {
	q := c.q
	switch q.SendTurn() {
	case core.TurnNone:
		return
	case core.TurnOver:
		c.flush(af)
		return
	}
	budget := core.TurnSize
	for q.SQ.Head != q.SQ.Tail {
		r := q.SQ.At(q.SQ.Head)
		status, ok := c.carryOut(r, &budget, af)
		if !ok {
			if budget <= 0 {
				q.Adapter.Engine.Schedule(q) // the engine does the rest
			}
			return
		}
		q.SQ.Head++
		q.SQ.Next = q.SQ.Head
		q.Complete(&r.WR, r.Total, status, af)
		if status != hca.StatusOK {
			c.breakNow(core.WorkError(r.WR.Op, status), af)
			c.flush(af)
			return
		}
	}
	// Requests that were posted before the disconnect may still be in the inbox.
	if q.State.Load() == core.StateClosing && q.Inboxed.Load() == 0 {
		q.MarkOver(hca.EventDisconnected, nil)
		c.peer.MarkOver(hca.EventDisconnected, peerError(hca.EventDisconnected, nil))
		af.Run = c.peer
		c.flush(af)
	}
}

// flush completes the remaining sends as flushed, and the receives of the peer, which this gate guards. The
// caller is inside tx, and the state is StateOver.
func (c *Conn) flush(af *core.Deferred) {
	if !c.q.Flushable() {
		return
	}
	c.stall.Clear()
	c.q.FlushSend(af)
	if c.flushed || c.peer.State.Load() != core.StateOver {
		return
	}
	c.flushed = true
	on := c.curOn
	c.curOn = false
	c.peer.FlushRecv(&c.cur, on, af)
}

// breakNow ends the connection from inside tx.
func (c *Conn) breakNow(err error, af *core.Deferred) {
	c.q.BreakNow(err)
	c.peer.MarkOver(hca.EventBroken, peerError(hca.EventBroken, err))
	af.Run = c.peer
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
	return hca.Wrap(hca.Broken, "connection", "", "the peer broke it", err)
}

// ReceivePosted runs the peer's send half at once, on this goroutine: waking the engine for each receive would
// cost far more than a message.
func (c *Conn) ReceivePosted() { c.peer.RunTx() }

func (c *Conn) Concerns(to *progress.Consumer) bool { return c.q.PolledBy(to) || c.peer.PolledBy(to) }

func (c *Conn) Gates() (receiving, peer *atomic.Uint64) { return nil, &c.peer.Tx.Word }

func (c *Conn) AppendStays(list []gate.Stay, _ *core.KeyEntry) []gate.Stay { return list }

func (c *Conn) AwaitApart() {}

func (c *Conn) Evict([]byte) {} // no access outlasts a gate

func (c *Conn) MakeRoom() bool { return false }

func (c *Conn) CheckCaps(op hca.Op) error {
	if core.HasResponse(op) && c.mute {
		return core.ErrNoReads(op)
	}
	return nil
}
