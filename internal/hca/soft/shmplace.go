package soft

import (
	"github.com/godapl/godapl/internal/hca"
)

// handle carries out one frame of the peer's. It is called again with the same
// frame after it has said waiting.
func (c *shmConn) handle(f *frame, af *after) outcome {
	in := &c.in
	if in.kind != 0 && (f.kind != in.kind || f.total != in.total || f.key != in.key || f.addr != in.addr) {
		return c.malformed(errMixed, af)
	}
	switch f.kind {
	case frSend:
		if c.wholeShort(f, af) {
			return handled
		}
		if f.flags&flLast == 0 {
			return c.malformed(errFrame, af)
		}
		return c.message(f, in.requests.buf[sendHead:sendHead+int(f.n)], af)
	case frPart, frWrite:
		octets := f.octets(in.requests.bulk)
		last := f.flags&flLast != 0
		if octets == nil || uint64(f.n) > f.total-in.progress() || !in.placed && last != (in.progress()+uint64(f.n) == f.total) {
			return c.malformed(errFrame, af)
		}
		if f.kind == frPart {
			return c.message(f, octets, af)
		}
		return c.write(f, octets, af)
	case frNothing:
		return handled
	case frWriteHere:
		if f.flags&flLast == 0 {
			return c.malformed(errFrame, af)
		}
		return c.write(f, in.requests.buf[frameSize:frameSize+int(f.n)], af)
	case frPull:
		return c.pull(f, af)
	case frImm:
		return c.deliver(f, hca.OpRecvWriteImm, f.total, af)
	case frRead:
		return c.read(f, af)
	case frAtomic:
		return c.atomic(f, af)
	}
	return c.malformed(errFrame, af)
}

// progress is how much of the message has come before the frame in hand.
func (in *shmReceiver) progress() uint64 {
	if in.kind == 0 {
		return 0
	}
	return in.off
}

// advance notes n octets of the frame's message.
func (in *shmReceiver) advance(f *frame, n uint64) {
	if in.kind == 0 {
		in.off = 0
	}
	in.off += n
	in.kind, in.total, in.key, in.addr = f.kind, f.total, f.key, f.addr
	if f.flags&flLast != 0 {
		in.kind = 0
	}
}

// needReceive has a receive in cur, or waits for one.
func (c *shmConn) needReceive(af *after) outcome {
	in := &c.in
	if in.curOn {
		return handled
	}
	if c.q.nextReceive(&in.cur) {
		in.stall.clear()
		in.curOn = true
		return handled
	}
	if in.stall.begin(c.a.receiveWait, c) {
		return waiting
	}
	return c.refuse(hca.StatusReceiverNotReady, "a message came and no receive was posted for it in time: post receives before the peer sends", af)
}

// failReceive completes the current receive in error and ends the connection;
// theirs is what the peer's request ends with.
func (c *shmConn) failReceive(ours, theirs hca.Status, why string, af *after) outcome {
	c.in.curOn = false
	c.q.received(&c.in.cur, hca.OpRecv, ours, 0, 0, 0, false, af)
	return c.refuse(theirs, why, af)
}

// message puts a message's octets into the oldest receive.
func (c *shmConn) message(f *frame, octets []byte, af *after) outcome {
	in, q := &c.in, c.q
	if in.kind == 0 {
		if out := c.fit(f, af); out != handled {
			return out
		}
	}
	off := in.progress()
	for b := octets; len(b) > 0; {
		to, frail, fault := in.cur.at(q, q.pd, off, uint64(len(b)))
		n := 0
		if fault == faultNone {
			var at uint64
			if n, at = tryPiece(to, b, frail); at != 0 {
				q.faulted(at, "receive")
				fault = faultPage
			}
		}
		if fault != faultNone {
			return c.failReceive(hca.StatusLocalProtection, hca.StatusRemoteOp, "the memory of a receive is not usable", af)
		}
		b = b[n:]
		off += uint64(n)
	}
	in.advance(f, uint64(len(octets)))
	if f.flags&flLast == 0 {
		return handled
	}
	return c.conclude(f, af)
}

// fit has a receive in cur that the message fits into, or waits for one.
func (c *shmConn) fit(f *frame, af *after) outcome {
	in, q := &c.in, c.q
	if out := c.needReceive(af); out != handled {
		return out
	}
	switch {
	case f.total > in.cur.room():
		return c.failReceive(hca.StatusLocalLength, hca.StatusRemoteInvalid, "the message is longer than the receive: post larger receives", af)
	case f.total > 0 && !localAll(q.pd, in.cur.local, in.cur.more, hca.LocalWrite):
		return c.failReceive(hca.StatusLocalProtection, hca.StatusRemoteOp, "the memory of a receive is not usable", af)
	}
	return handled
}

// conclude completes the receive of a message that is there.
func (c *shmConn) conclude(f *frame, af *after) outcome {
	op := hca.OpRecv
	switch {
	case f.flags&flImm != 0:
		op = hca.OpRecvImm
	case f.flags&flInvalidate != 0:
		op = hca.OpRecvInvalidate
		if c.q.invalidate(hca.Key(f.word)) != faultNone {
			return c.failReceive(hca.StatusLocalProtection, hca.StatusRemoteAccess, "the peer may not invalidate that key", af)
		}
	}
	return c.deliver(f, op, f.total, af)
}

// deliver completes a receive.
func (c *shmConn) deliver(f *frame, op hca.Op, n uint64, af *after) outcome {
	if out := c.needReceive(af); out != handled {
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
	c.q.received(&c.in.cur, op, hca.StatusOK, n, imm, key, f.flags&flSolicited != 0, af)
	return handled
}

// write puts octets where the peer says, if it may.
func (c *shmConn) write(f *frame, octets []byte, af *after) outcome {
	in := &c.in
	if !in.placed {
		off := in.progress()
		if in.kind == 0 && f.total > 0 {
			// The whole range is checked before the first octet moves.
			if _, _, fault := c.a.keys.check(c.q, hca.Key(f.key), f.addr, f.total, hca.RemoteWrite); fault != faultNone {
				return c.refuse(hca.StatusRemoteAccess, "the peer may not write there", af)
			}
		}
		if len(octets) > 0 {
			to, g, fault := c.a.keys.check(c.q, hca.Key(f.key), f.addr+off, uint64(len(octets)), hca.RemoteWrite)
			if fault != faultNone {
				return c.refuse(hca.StatusRemoteAccess, "the peer may not write there any more", af)
			}
			if _, at := tryWrite(to, octets, f.flags&flLast != 0, g.frail); at != 0 {
				c.q.faulted(at, "write of the peer's")
				return c.refuse(hca.StatusRemoteAccess, "the page does not allow what the peer may write", af)
			}
		}
		in.advance(f, uint64(len(octets)))
		in.placed = true
	}
	if f.flags&flLast != 0 && f.flags&flImm != 0 {
		in.kind = 0
		return c.deliver(f, hca.OpRecvWriteImm, f.total, af)
	}
	return handled
}
