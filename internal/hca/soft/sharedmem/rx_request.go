package sharedmem

import (
	"github.com/godapl/godapl/internal/hca"
	"github.com/godapl/godapl/internal/hca/soft/core"
)

// handle carries out one frame of the peer. If it returns MustWait, it is called again with the same frame.
func (c *Conn) handle(f *frame, af *core.Deferred) core.Outcome {
	in := &c.in
	if in.kind != 0 && (f.kind != in.kind || f.total != in.total || f.key != in.key || f.addr != in.addr) {
		return c.malformed(errMixed, af)
	}
	switch f.kind {
	case frameSend:
		if c.wholeShort(f, af) {
			return core.Handled
		}
		if f.flags&flagLast == 0 {
			return c.malformed(errFrame, af)
		}
		return c.message(f, in.requests.buf[sendHead:sendHead+int(f.n)], af)
	case framePart, frameWrite:
		data := f.payload(in.requests.bulk)
		last := f.flags&flagLast != 0
		if data == nil || uint64(f.n) > f.total-in.progress() || !in.placed && last != (in.progress()+uint64(f.n) == f.total) {
			return c.malformed(errFrame, af)
		}
		if f.kind == framePart {
			return c.message(f, data, af)
		}
		return c.write(f, data, af)
	case frameAckRequest:
		return core.Handled
	case frameWriteInline:
		if f.flags&flagLast == 0 {
			return c.malformed(errFrame, af)
		}
		return c.write(f, in.requests.buf[frameSize:frameSize+int(f.n)], af)
	case framePull:
		return c.pull(f, af)
	case frameImm:
		return c.deliver(f, hca.OpRecvWriteImm, f.total, af)
	case frameRead:
		return c.read(f, af)
	case frameAtomic:
		return c.atomic(f, af)
	}
	return c.malformed(errFrame, af)
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

// needReceive takes a receive into cur, or waits for one.
func (c *Conn) needReceive(af *core.Deferred) core.Outcome {
	in := &c.in
	if in.curOn {
		return core.Handled
	}
	if c.q.NextReceive(&in.cur) {
		in.stall.Clear()
		in.curOn = true
		return core.Handled
	}
	if in.stall.Begin(c.a.ReceiveWait, c) {
		return core.MustWait
	}
	return c.refuse(hca.StatusReceiverNotReady, "a message came and no receive was posted for it in time: post receives before the peer sends", af)
}

// failReceive completes the current receive in error and ends the connection; the peer's request ends with the
// status theirs.
func (c *Conn) failReceive(ours, theirs hca.Status, why string, af *core.Deferred) core.Outcome {
	c.in.curOn = false
	c.q.Received(&c.in.cur, hca.OpRecv, ours, 0, 0, 0, false, af)
	return c.refuse(theirs, why, af)
}

// message copies a message's bytes into the oldest receive.
func (c *Conn) message(f *frame, data []byte, af *core.Deferred) core.Outcome {
	in, q := &c.in, c.q
	if in.kind == 0 {
		if out := c.fit(f, af); out != core.Handled {
			return out
		}
	}
	off := in.progress()
	for b := data; len(b) > 0; {
		to, frail, fault := in.cur.At(q, q.PD, off, uint64(len(b)))
		n := 0
		if fault == core.FaultNone {
			var at uint64
			if n, at = core.TryPiece(to, b, frail); at != 0 {
				q.Faulted(at, "receive")
				fault = core.FaultPage
			}
		}
		if fault != core.FaultNone {
			return c.failReceive(hca.StatusLocalProtection, hca.StatusRemoteOp, "the memory of a receive is not usable", af)
		}
		b = b[n:]
		off += uint64(n)
	}
	in.advance(f, uint64(len(data)))
	if f.flags&flagLast == 0 {
		return core.Handled
	}
	return c.conclude(f, af)
}

// fit takes a receive into which the message fits, or waits for one.
func (c *Conn) fit(f *frame, af *core.Deferred) core.Outcome {
	in, q := &c.in, c.q
	if out := c.needReceive(af); out != core.Handled {
		return out
	}
	switch {
	case f.total > in.cur.Room():
		return c.failReceive(hca.StatusLocalLength, hca.StatusRemoteInvalid, "the message is longer than the receive: post larger receives", af)
	case f.total > 0 && !core.LocalAll(q.PD, in.cur.Local, in.cur.More, hca.LocalWrite):
		return c.failReceive(hca.StatusLocalProtection, hca.StatusRemoteOp, "the memory of a receive is not usable", af)
	}
	return core.Handled
}

// conclude completes the receive of a whole message.
func (c *Conn) conclude(f *frame, af *core.Deferred) core.Outcome {
	op := hca.OpRecv
	switch {
	case f.flags&flagImm != 0:
		op = hca.OpRecvImm
	case f.flags&flagInvalidate != 0:
		op = hca.OpRecvInvalidate
		if c.q.Invalidate(hca.Key(f.word)) != core.FaultNone {
			return c.failReceive(hca.StatusLocalProtection, hca.StatusRemoteAccess, "the peer may not invalidate that key", af)
		}
	}
	return c.deliver(f, op, f.total, af)
}

// deliver completes a receive.
func (c *Conn) deliver(f *frame, op hca.Op, n uint64, af *core.Deferred) core.Outcome {
	if out := c.needReceive(af); out != core.Handled {
		return out
	}
	var imm uint32
	var key hca.Key
	switch op {
	case hca.OpRecvImm, hca.OpRecvWriteImm:
		imm = f.word
	case hca.OpRecvInvalidate:
		key = hca.Key(f.word)
	}
	c.in.curOn = false
	c.q.Received(&c.in.cur, op, hca.StatusOK, n, imm, key, f.flags&flagSolicited != 0, af)
	return core.Handled
}

// write copies bytes to the peer's target address, if the key allows it.
func (c *Conn) write(f *frame, data []byte, af *core.Deferred) core.Outcome {
	in := &c.in
	if !in.placed {
		off := in.progress()
		if in.kind == 0 && f.total > 0 {
			// The whole range is checked before the first byte moves.
			if _, _, fault := c.a.Keys.Check(c.q, hca.Key(f.key), f.addr, f.total, hca.RemoteWrite); fault != core.FaultNone {
				return c.refuse(hca.StatusRemoteAccess, "the peer may not write there", af)
			}
		}
		if len(data) > 0 {
			to, g, fault := c.a.Keys.Check(c.q, hca.Key(f.key), f.addr+off, uint64(len(data)), hca.RemoteWrite)
			if fault != core.FaultNone {
				return c.refuse(hca.StatusRemoteAccess, "the peer may not write there any more", af)
			}
			if _, at := core.TryWrite(to, data, f.flags&flagLast != 0, g.Frail); at != 0 {
				c.q.Faulted(at, "write of the peer's")
				return c.refuse(hca.StatusRemoteAccess, "the page does not allow what the peer may write", af)
			}
		}
		in.advance(f, uint64(len(data)))
		in.placed = true
	}
	if f.flags&flagLast != 0 && f.flags&flagImm != 0 {
		in.kind = 0
		return c.deliver(f, hca.OpRecvWriteImm, f.total, af)
	}
	return core.Handled
}
