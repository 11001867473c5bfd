package sharedmem

import (
	"github.com/godapl/godapl/internal/hca"
	"github.com/godapl/godapl/internal/hca/ops"
	"github.com/godapl/godapl/internal/hca/soft/core"
	"github.com/godapl/godapl/internal/hca/soft/rawmem"
)

// handle carries out one frame of the peer. If it returns MustWait, it is called again with the same frame.
func (c *Conn) handle(f *frame, deferred *core.Deferred) core.Outcome {
	in := &c.in
	if in.kind != 0 && (f.kind != in.kind || f.total != in.total || f.key != in.key || f.addr != in.addr) {
		return c.malformed(errMixed, deferred)
	}
	switch f.kind {
	case frameSend:
		if c.wholeShort(f, deferred) {
			return core.Handled
		}
		if f.flags&flagLast == 0 {
			return c.malformed(errFrame, deferred)
		}
		return c.message(f, in.requests.buf[sendHead:sendHead+int(f.n)], deferred)
	case framePart, frameWrite:
		data := f.payload(in.requests.bulk)
		last := f.flags&flagLast != 0
		if data == nil || uint64(f.n) > f.total-in.progress() || !in.placed && last != (in.progress()+uint64(f.n) == f.total) {
			return c.malformed(errFrame, deferred)
		}
		if f.kind == framePart {
			return c.message(f, data, deferred)
		}
		return c.write(f, data, deferred)
	case frameAckRequest:
		return core.Handled
	case frameWriteInline:
		if f.flags&flagLast == 0 {
			return c.malformed(errFrame, deferred)
		}
		return c.write(f, in.requests.buf[frameSize:frameSize+int(f.n)], deferred)
	case frameRendezvous:
		return c.fetch(f, deferred)
	case frameImm:
		if f.total > c.a.Attrs.MaxRDMA { // the program gets the number
			return c.malformed(errFrame, deferred)
		}
		return c.deliver(f, hca.OpRecvWriteImm, f.total, deferred)
	case frameRead:
		return c.read(f, deferred)
	case frameAtomic:
		return c.atomic(f, deferred)
	}
	return c.malformed(errFrame, deferred)
}

// progress is how much of the message arrived before the current frame.
func (in *receiver) progress() uint64 {
	if in.kind == 0 {
		return 0
	}
	return in.off
}

// advance counts n bytes of the frame's message.
func (in *receiver) advance(f *frame, n uint64) {
	if in.kind == 0 {
		in.off = 0
	}
	in.off += n
	in.kind, in.total, in.key, in.addr = f.kind, f.total, f.key, f.addr
	if f.flags&flagLast != 0 {
		in.kind = 0
	}
}

// needReceive takes a receive for the message, or waits for one.
func (c *Conn) needReceive(deferred *core.Deferred) core.Outcome {
	out := c.in.NeedReceive(c.q, c)
	if out == core.Failed {
		c.refuse(hca.OpSend, hca.StatusReceiverNotReady, "a message came and no receive was posted for it in time: post receives before the peer sends", deferred)
	}
	return out
}

// failReceive completes the current receive in error and ends the connection; the peer's request ends with the
// status theirs.
func (c *Conn) failReceive(ours, theirs hca.Status, why string, deferred *core.Deferred) core.Outcome {
	c.in.Fail(c.q, ours, deferred)
	return c.refuse(hca.OpSend, theirs, why, deferred)
}

// message copies a message's bytes into the oldest receive.
func (c *Conn) message(f *frame, data []byte, deferred *core.Deferred) core.Outcome {
	in := &c.in
	if in.kind == 0 {
		if out := c.fit(f, deferred); out != core.Handled {
			return out
		}
	}
	if !in.Place(c.q, in.progress(), data) {
		return c.failReceive(hca.StatusLocalProtection, hca.StatusRemoteOp, "the memory of a receive is not usable", deferred)
	}
	in.advance(f, uint64(len(data)))
	if f.flags&flagLast == 0 {
		return core.Handled
	}
	return c.conclude(f, deferred)
}

// fit takes a receive into which the message fits, or waits for one.
func (c *Conn) fit(f *frame, deferred *core.Deferred) core.Outcome {
	if out := c.needReceive(deferred); out != core.Handled {
		return out
	}
	switch ours, theirs := c.in.Misfit(c.q, f.total); ours {
	case hca.StatusOK:
		return core.Handled
	case hca.StatusLocalLength:
		return c.failReceive(ours, theirs, "the message is longer than the receive: post larger receives", deferred)
	default:
		return c.failReceive(ours, theirs, "the memory of a receive is not usable", deferred)
	}
}

// conclude completes the receive of a whole message.
func (c *Conn) conclude(f *frame, deferred *core.Deferred) core.Outcome {
	op := hca.OpRecv
	switch {
	case f.flags&flagImm != 0:
		op = hca.OpRecvImm
	case f.flags&flagInvalidate != 0:
		op = hca.OpRecvInvalidate
		if c.q.Invalidate(hca.Key(f.word)) != core.FaultNone {
			return c.failReceive(hca.StatusLocalProtection, hca.StatusRemoteAccess, "the peer may not invalidate that key", deferred)
		}
	}
	return c.deliver(f, op, f.total, deferred)
}

// deliver completes a receive.
func (c *Conn) deliver(f *frame, op hca.Op, n uint64, deferred *core.Deferred) core.Outcome {
	if out := c.needReceive(deferred); out != core.Handled {
		return out
	}
	var imm uint32
	var key hca.Key
	switch row := ops.Of(op); {
	case row.Imm:
		imm = f.word
	case row.Key:
		key = hca.Key(f.word)
	}
	c.in.ackFirst(f)
	c.in.Complete(c.q, op, n, imm, key, f.flags&flagSolicited != 0, deferred)
	return core.Handled
}

// ackFirst acknowledges a frame before the receive completes that it fills, if the sender asks for that. Another goroutine
// may take the completion at once and answer the message. When the answer arrives, the sender must find that its request is
// complete: its queue may have no other slot. Frames of which the sender only asks to be woken are acknowledged together
// with those behind them.
func (in *receiver) ackFirst(f *frame) {
	if f.flags&flagAck != 0 || f.flags&flagWake != 0 && !in.requests.c.Ready() {
		in.requests.done()
		in.requests.release()
	}
}

// write copies bytes to the peer's target address, if the key allows it.
func (c *Conn) write(f *frame, data []byte, deferred *core.Deferred) core.Outcome {
	in := &c.in
	if !in.placed {
		off := in.progress()
		if in.kind == 0 {
			// The whole range is checked before the first byte moves.
			if _, _, fault := c.a.Keys.Check(c.q, hca.Key(f.key), f.addr, f.total, hca.RemoteWrite); fault != core.FaultNone {
				return c.refuse(hca.OpWrite, hca.StatusRemoteAccess, "the peer may not write there", deferred)
			}
		}
		if len(data) > 0 {
			to, g, fault := c.a.Keys.Check(c.q, hca.Key(f.key), f.addr+off, uint64(len(data)), hca.RemoteWrite)
			if fault != core.FaultNone {
				return c.refuse(hca.OpWrite, hca.StatusRemoteAccess, "the peer may not write there any more", deferred)
			}
			if _, at := rawmem.TryWrite(to, data, f.flags&flagLast != 0, g.Frail); at != 0 {
				c.q.Faulted(at, "write of the peer's")
				return c.refuse(hca.OpWrite, hca.StatusRemoteAccess, "the page does not allow what the peer may write", deferred)
			}
		}
		in.advance(f, uint64(len(data)))
		in.placed = true
	}
	if f.flags&flagLast != 0 && f.flags&flagImm != 0 {
		in.kind = 0
		return c.deliver(f, hca.OpRecvWriteImm, f.total, deferred)
	}
	return core.Handled
}
