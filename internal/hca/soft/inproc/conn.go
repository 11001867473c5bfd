package inproc

import (
	"sync/atomic"

	"github.com/godapl/godapl/internal/hca"
	"github.com/godapl/godapl/internal/hca/soft/core"
	"github.com/godapl/godapl/internal/hca/soft/gate"
	"github.com/godapl/godapl/internal/hca/soft/progress"
)

// A Conn is one side of a connection between two queue pairs of this process. All of its
// work is done inside tx of its queue pair: requests are carried out in the memory of both
// sides, and complete the receives of the peer.
type Conn struct {
	q    *core.QP
	peer *core.QP
	far  *core.PD // the peer's
	cur  core.Receive
	// curOn tells that cur is a receive of the peer's that has been taken.
	curOn   bool
	mute    bool // no reads and atomics were agreed
	flushed bool // the peer's receives have been flushed
	stall   progress.WaitTimer
}

// RunSend does what there is to do on the sending half, or leaves word for whoever is at it.
func (c *Conn) RunSend() {
	if !c.q.Tx.Enter() {
		return
	}
	var af core.Deferred
	c.pump(&af)
	c.leave(&af)
}

// leave lets go of tx, doing first what others have left word for, and then
// what may only be done outside.
func (c *Conn) leave(af *core.Deferred) {
	for c.q.Tx.Leave() {
		c.pump(af)
	}
	af.Finish()
}

// pump starts and completes requests as far as a bounded amount of work goes.
// The caller is inside tx.
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
				q.Adapter.Engine.Schedule(q) // the rest is not the caller's
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
	// What was posted before the disconnect may be in the inbox still.
	if q.State.Load() == core.StateClosing && q.Inboxed.Load() == 0 {
		q.MarkOver(hca.EventDisconnected, nil)
		c.peer.MarkOver(hca.EventDisconnected, peerError(hca.EventDisconnected, nil))
		af.Run = c.peer
		c.flush(af)
	}
}

// flush completes the send side as flushed, and the receives of the peer, which this gate
// guards. The caller is inside tx, and the state is over.
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

// End is QP.End's part.
func (c *Conn) End(kind hca.ConnEventKind, err error) {
	c.peer.MarkOver(kind, peerError(kind, err))
	c.q.RunTx()
	c.peer.RunTx()
}

// peerError is how the other side of an in-process connection sees the end.
func peerError(kind hca.ConnEventKind, err error) error {
	if kind == hca.EventDisconnected {
		return hca.NewError(hca.Disconnected, "connection", "", "the peer disconnected")
	}
	return hca.Wrap(hca.Broken, "connection", "", "the peer broke it", err)
}

// ReceivePosted has the peer's sending half go on, at once and on this goroutine: to have
// the engine wake up for each receive would cost far more than a message does.
func (c *Conn) ReceivePosted() { c.peer.RunTx() }

func (c *Conn) Concerns(to *progress.Consumer) bool { return c.q.PolledBy(to) || c.peer.PolledBy(to) }

func (c *Conn) Gates() (receiving, peer *atomic.Uint64) { return nil, &c.peer.Tx.Word }

func (c *Conn) AppendStays(list []gate.Stay, _ *core.KeyEntry) []gate.Stay { return list }

func (c *Conn) AwaitApart() {}

func (c *Conn) Evict([]byte) {} // nothing outlasts a gate

func (c *Conn) MakeRoom() bool { return false }

func (c *Conn) CheckCaps(op hca.Op) error {
	if core.HasResponse(op) && c.mute {
		return core.ErrNoReads(op)
	}
	return nil
}
