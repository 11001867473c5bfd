package stream

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"time"

	"github.com/godapl/godapl/internal/hca"
	"github.com/godapl/godapl/internal/hca/soft/core"
	"github.com/godapl/godapl/internal/hca/soft/recvhalf"
	"github.com/godapl/godapl/internal/hca/soft/stream/wire"
	"github.com/godapl/godapl/internal/iwarp"
)

// A connection ends in one of four ways: this side ends it (End), this side finds a fault of the peer (refuse,
// malformed), the peer ends it (terminated, streamEnded), or the stream is lost. All four lead to fail or
// QP.End. These set the final state, let both halves flush what is posted, and leave the stream to lingerClose.

// refuse ends the connection because of the peer's segment, and tells the peer with a Terminate. The caller is
// inside rx.
func (c *Conn) refuse(cause iwarp.Cause, ulpdu []byte, why string, deferred *core.Deferred) core.Outcome {
	return c.refuseOp(hca.OpNone, hca.StatusOK, cause, ulpdu, why, deferred)
}

// refuseOp is refuse because of the operation that the segment requests, not because of its form: such a
// request does not violate the protocol, and the error names the operation.
func (c *Conn) refuseOp(op hca.Op, status hca.Status, cause iwarp.Cause, ulpdu []byte, why string, deferred *core.Deferred) core.Outcome {
	t := iwarp.NewTerminate(cause, ulpdu, len(ulpdu))
	c.fail(hca.EventBroken, core.Refusal(op, status, why, cause), &t, deferred)
	return core.Failed
}

// malformed ends the connection because of bytes that are not valid iWARP.
func (c *Conn) malformed(err error, ulpdu []byte, deferred *core.Deferred) {
	e := hca.Wrap(hca.Broken, "connection", "", "the peer sent bytes that are not iWARP", err)
	var pe iwarp.ParseError
	if errors.As(err, &pe) {
		if reaction, cause := pe.Reaction(); reaction == iwarp.ReactTerminate {
			t := iwarp.NewTerminate(cause, ulpdu, len(ulpdu))
			c.fail(hca.EventBroken, e, &t, deferred)
			return
		}
	}
	c.fail(hca.EventBroken, e, nil, deferred)
}

// refuseRead is refuseOp for a read whose memory was withdrawn while it was sent. The caller is outside the gates.
func (c *Conn) refuseRead(cause iwarp.Cause, ulpdu []byte) {
	c.rx.Lock()
	var deferred core.Deferred
	if !c.in.closed {
		c.refuseOp(hca.OpRead, hca.StatusRemoteAccess, cause, ulpdu, "the memory of a read was withdrawn while it was sent", &deferred)
	}
	c.finishRecvWith(&deferred)
}

// terminated handles the peer's Terminate.
func (c *Conn) terminated(s *iwarp.Segment, deferred *core.Deferred) core.Outcome {
	var t iwarp.Terminate
	// Only an initiator can report an error of the startup in its first FPDU.
	if err := iwarp.ParseTerminate(s.Payload, !c.in.any && !c.initiator, &t); err != nil {
		c.malformed(err, nil, deferred)
		return core.Failed
	}
	c.failTerminated(&t)
	c.fail(hca.EventBroken, hca.Wrap(hca.Broken, "connection", "", "the peer refused something and ended it"+advice(t.Cause), t.Cause), nil, deferred)
	return core.Failed
}

// advice is the usual remedy after a peer's refusal.
func advice(cause iwarp.Cause) string {
	switch cause {
	case iwarp.CauseTaggedSTag, iwarp.CauseProtSTag:
		return "; the key is unknown there, or no longer good: ask the peer for a fresh one"
	case iwarp.CauseTaggedBounds, iwarp.CauseProtBounds:
		return "; address and length are outside of what the key covers"
	case iwarp.CauseProtAccess:
		return "; the peer's region or window lacks the right for it"
	case iwarp.CauseTaggedStream, iwarp.CauseProtStream:
		return "; the key belongs to another zone or endpoint of the peer"
	case iwarp.CauseUntaggedNoBuffer:
		return "; the peer had no receive posted, or too many reads were under way"
	case iwarp.CauseUntaggedLong:
		return "; the message is longer than the peer's receive"
	}
	return ""
}

// fail ends the connection from inside rx. If t is not nil, it is sent to the peer.
func (c *Conn) fail(kind hca.ConnEventKind, err error, t *iwarp.Terminate, deferred *core.Deferred) {
	if first, abort := c.q.MarkOver(kind, err); first {
		if abort != nil {
			c.a.Engine.Do(abort)
		}
		if t != nil {
			frame := iwarp.AppendTerminate(nil, t, c.crc)
			c.shared.mu.Lock()
			c.terminate = frame
			c.shared.mu.Unlock()
		}
		if kind == hca.EventBroken {
			c.a.Log.Debug("connection broken", "remote", c.remote, "error", err)
		}
	} else {
		c.fault.clear()
	}
	c.pumpRxOver(deferred)
}

// End implements core.Transport.
func (c *Conn) End(hca.ConnEventKind, error) { c.finishRx() }

// finishRx makes the receive half notice that the connection is over. The caller is inside no gate.
func (c *Conn) finishRx() { c.runRx() }

// drainAfterWriteError ends the connection of a stream that accepts no more bytes. The peer may have closed it
// after messages that are not read yet, or that wait for their receives: the reader gets some time to reach the
// end of the stream, unless the stream was reset.
func (c *Conn) drainAfterWriteError(why error) {
	c.runRx()
	if !c.reset.Load() {
		c.Schedule()
		timer := time.NewTimer(wire.LingerTime)
		defer timer.Stop()
		select {
		case <-c.q.Finished:
			return
		case <-timer.C:
		}
	}
	c.q.End(hca.EventBroken, hca.Wrap(hca.Broken, "connection", "", "the stream was lost", why))
}

// settled reports whether the requests can be flushed, because nobody accesses their memory any more. For an
// unanswered read or atomic, the receive half may be placing a response at this moment. It is asked to stop,
// and then runs the send half. The caller is inside tx, and the state is StateOver.
func (c *Conn) settled() bool {
	if c.out.out == 0 || c.noPlacing.Load() {
		return true
	}
	c.a.Engine.Do(c.finishRx)
	return false
}

// beforeFlush completes the reads that were answered before the end, what was sent behind them, and the request at fault.
func (c *Conn) beforeFlush(deferred *core.Deferred) {
	c.collectReads()
	c.q.Retire(c.out.sent, deferred)
	c.faulty()
	c.out.closed = true
	c.out.cut = c.out.cut || c.inRequest()
	c.out.copyOverlap(nil)
}

// Flush implements sendhalf.Path.
func (c *Conn) Flush(deferred *core.Deferred) {
	if !c.q.Flushable() || !c.settled() {
		return
	}
	c.beforeFlush(deferred)
	c.stall.Clear()
	c.q.FlushSend(deferred)
	c.endSends()
}

// endSends is called inside tx at the end of the send half, possibly more than once.
func (c *Conn) endSends() {
	c.out.progress.Stop()
	if c.ending.CompareAndSwap(false, true) {
		c.a.Background.Go("close", c.lingerClose)
	}
}

// mostPartings bounds how many streams of an adapter stay open for wire.PartingTime. More of them stay for
// wire.LingerTime: a peer that does not close its side must not use up the descriptors.
const mostPartings = 256

// lingerClose sends the last bytes and waits, for a bounded time, until the peer has closed too: closing a
// socket with unread bytes would destroy bytes in flight.
func (c *Conn) lingerClose() {
	c.stop()
	recvhalf.Settle(c.q, &c.Half, &c.rx, (*half)(c)) // so that nobody is in read or write
	var last net.Buffers
	recvhalf.InsideBoth(c.q, &c.Half, &c.rx, (*half)(c), func() { last = append(last, c.out.list...) })
	patience := wire.LingerTime
	if c.inOrder {
		if c.p.partings.Add(1) <= mostPartings {
			patience = wire.PartingTime
		}
		defer c.p.partings.Add(-1)
	}
	ctx, cancel := context.WithTimeout(c.a.Background.Context(), patience)
	defer cancel()
	conn, err := c.w.Release(ctx)
	if err != nil {
		return
	}
	defer conn.Close()
	_ = conn.SetDeadline(time.Now().Add(patience))
	stop := context.AfterFunc(c.a.Background.Context(), func() { hasten(conn) })
	defer stop()
	if c.sendTerminate(conn, last) != nil {
		return
	}
	if cw, ok := conn.(interface{ CloseWrite() error }); ok {
		if cw.CloseWrite() != nil {
			return
		}
	} else {
		return
	}
	_, _ = io.Copy(io.Discard, conn)
}

// half implements recvhalf.Half.
type half Conn

func (h *half) Flushed() bool { return h.in.flushed }
func (h *half) Leave()        { (*Conn)(h).finishRecv() }

// String names the connection for logs.
func (c *Conn) String() string { return fmt.Sprintf("iwarp connection with %s", c.remote) }
