package sharedmem

import (
	"errors"
	"fmt"

	"github.com/godapl/godapl/internal/hca"
	"github.com/godapl/godapl/internal/hca/soft/core"
	"github.com/godapl/godapl/internal/hca/soft/rawmem"
	"github.com/godapl/godapl/internal/hca/soft/recvhalf"
)

// How a connection over shared memory ends. Each side has a close status in the shared memory: it writes its
// own once, and polls the peer's when it finds nothing else to do. A side that dies leaves none; its closed
// socket tells the peer.
//
// A close status means: released requests succeeded; the oldest unreleased one failed with the given status, if
// any; later ones were not executed.

var (
	errFrame    = errors.New("an invalid frame")
	errMixed    = errors.New("a frame inside another message")
	errAnswer   = errors.New("a response without a request")
	errPeerGone = hca.NewError(hca.Broken, "connection", "", "the peer's process has ended, or has closed the connection without a reason")
)

const (
	closedOver   = 1
	closedBroken = 2
)

func closeStatusOf(kind hca.ConnEventKind, status hca.Status) uint64 {
	if kind == hca.EventDisconnected {
		return closedOver
	}
	return closedBroken | uint64(status)<<8
}

// closeStatusError turns the peer's close status into this side's event and error.
func closeStatusError(v uint64) (hca.ConnEventKind, error) {
	if v == closedOver {
		return hca.EventDisconnected, hca.NewError(hca.Disconnected, "connection", "", "the peer disconnected")
	}
	if s := closeStatusRequest(v); s != hca.StatusOK {
		return hca.EventBroken, hca.NewError(hca.Broken, "connection", "", "the peer refused a request and broke it: "+s.String())
	}
	return hca.EventBroken, hca.NewError(hca.Broken, "connection", "", "the peer broke it")
}

// closeStatusRequest is the status of the oldest request that the peer has not handled; StatusOK if the close
// status does not give one.
func closeStatusRequest(v uint64) hca.Status {
	switch s := hca.Status(v >> 8); s {
	case hca.StatusRemoteAccess, hca.StatusRemoteInvalid, hca.StatusRemoteOp, hca.StatusReceiverNotReady, hca.StatusLocalProtection:
		return s
	}
	return hca.StatusOK
}

// setCloseStatus writes the close status, unless it is written already. The caller is inside a gate.
func (c *Conn) setCloseStatus(v uint64) {
	if c.gone || c.hungUp.Load() { // nobody reads it
		return
	}
	c.in.requests.releaseConcurrently() // the close status refers to the unreleased requests
	if c.m.closeStatus[0].CompareAndSwap(0, v) {
		rawmem.RaceSend()
		c.ring()
	}
}

// tellCloseStatus tells the peer how this side's connection ended.
func (c *Conn) tellCloseStatus() { c.setCloseStatus(closeStatusOf(c.endKind(), hca.StatusOK)) }

// endKind is how this side's connection ended.
func (c *Conn) endKind() hca.ConnEventKind {
	c.q.StateMu.Lock()
	defer c.q.StateMu.Unlock()
	return c.q.Kind
}

// fail ends the connection from inside rx. The peer's oldest unreleased request ends with status.
func (c *Conn) fail(kind hca.ConnEventKind, err error, status hca.Status, deferred *core.Deferred) {
	c.setCloseStatus(closeStatusOf(kind, status))
	if first, abort := c.q.MarkOver(kind, err); first {
		if abort != nil {
			c.a.Engine.Do(abort)
		}
		if kind == hca.EventBroken {
			c.a.Log.Debug("connection broken", "remote", c.remote, "error", err)
		}
	}
	c.pumpRxOver(deferred)
}

// refuse ends the connection because of the peer's request.
func (c *Conn) refuse(op hca.Op, status hca.Status, why string, deferred *core.Deferred) core.Outcome {
	c.fail(hca.EventBroken, core.Refusal(op, status, why, nil), status, deferred)
	return core.Failed
}

// malformed is refuse for a peer that violates the protocol.
func (c *Conn) malformed(err error, deferred *core.Deferred) core.Outcome {
	c.corrupt(err, deferred)
	return core.Failed
}

// corrupt ends the connection because the shared memory is damaged. The caller is inside either gate. It always
// returns false.
func (c *Conn) corrupt(err error, deferred *core.Deferred) bool {
	c.setCloseStatus(closedBroken)
	if c.bad.Swap(true) {
		return false
	}
	e := hca.Wrap(hca.Broken, "connection", "", "the peer has damaged the memory that both share", err)
	c.a.Log.Debug("connection broken", "remote", c.remote, "error", e)
	c.q.BreakNow(e)
	c.a.Engine.Do(c.finishRx)
	return false
}

// End implements core.Transport.
func (c *Conn) End(hca.ConnEventKind, error) { c.finishRx() }

// finishRx makes the receive half notice that the connection is over. The caller is inside no gate.
func (c *Conn) finishRx() {
	if c.rx.Enter() {
		c.finishRecv()
	}
}

// beforeFlush collects what completed before the connection ended. The caller is inside tx.
func (c *Conn) beforeFlush(deferred *core.Deferred) {
	q, o := c.q, &c.out
	if o.closed {
		return
	}
	c.tellCloseStatus()
	c.readAcks(deferred)
	c.markAcked()
	o.closed = true
	status := closeStatusRequest(c.m.closeStatus[1].Load())
	if status == hca.StatusOK || c.endKind() == hca.EventDisconnected { // this side has ended it before it knew
		return
	}
	for i := q.SQ.Head; i != q.SQ.Tail; i++ {
		if r := q.SQ.At(i); !r.Done {
			if r.Begun && r.WR.Op != hca.OpBind {
				r.Done, r.Status = true, status
				if status == hca.StatusLocalProtection {
					c.findLost(r)
				}
			}
			return
		}
	}
}

// Flush implements sendhalf.Path.
func (c *Conn) Flush(deferred *core.Deferred) {
	if !c.q.Flushable() {
		return
	}
	c.beforeFlush(deferred)
	c.q.FlushSend(deferred)
	c.endSends()
}

// AwaitTeardown returns when neither side accesses memory of the other any more.
func (c *Conn) AwaitTeardown() {
	c.waitReleased()
	if c.ending.Load() {
		// dismantle enters the gates when it ends, and still makes the entries of late posts.
		<-c.tornDown
	}
}

// endSends is called inside tx after the send half has been flushed.
func (c *Conn) endSends() {
	if c.ending.CompareAndSwap(false, true) {
		c.a.Background.Go("close", c.dismantle)
	}
}

// dismantle releases the memory and the descriptors when both halves have finished and the peer accesses this
// side's memory no more. It waits outside the gates for a peer that was stopped in such an access, so that
// requests posted meanwhile are flushed at once.
func (c *Conn) dismantle() {
	defer close(c.tornDown)
	c.stop()
	recvhalf.Settle(c.q, &c.Half, &c.rx, (*half)(c))
	c.revoking.Store(true)
	c.waitReleased()
	recvhalf.InsideBoth(c.q, &c.Half, &c.rx, (*half)(c), func() {
		c.hazardMu.Lock()
		c.gone = true
		c.unmap()
		c.hazardMu.Unlock()
	})
}

// half implements recvhalf.Half.
type half Conn

func (h *half) Flushed() bool { return h.in.flushed }
func (h *half) Leave()        { (*Conn)(h).finishRecv() }

// String names the connection for logs.
func (c *Conn) String() string { return fmt.Sprintf("shared memory with %s", c.remote) }
