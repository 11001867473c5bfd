package stream

import (
	"fmt"

	"github.com/godapl/godapl/internal/hca"
	"github.com/godapl/godapl/internal/hca/soft/core"
	"github.com/godapl/godapl/internal/hca/soft/rawmem"
	"github.com/godapl/godapl/internal/iwarp"
)

// taggedCause and readCause are the Terminate causes of a refused access, for Writes and for Read Requests (RFC
// 5041 section 7, RFC 5040 section 4.8).
var (
	taggedCause = [...]iwarp.Cause{
		core.FaultKey: iwarp.CauseTaggedSTag, core.FaultZone: iwarp.CauseTaggedStream, core.FaultWrap: iwarp.CauseTaggedWrap,
		core.FaultBounds: iwarp.CauseTaggedBounds, core.FaultRights: iwarp.CauseProtAccess, core.FaultPage: iwarp.CauseProtAccess,
	}
	readCause = [...]iwarp.Cause{
		core.FaultKey: iwarp.CauseProtSTag, core.FaultZone: iwarp.CauseProtStream, core.FaultWrap: iwarp.CauseProtWrap,
		core.FaultBounds: iwarp.CauseProtBounds, core.FaultRights: iwarp.CauseProtAccess, core.FaultPage: iwarp.CauseProtAccess,
	}
)

// handle carries out one well-formed segment.
func (c *Conn) handle(s *iwarp.Segment, ulpdu []byte, deferred *core.Deferred) core.Outcome {
	if !c.in.any {
		c.identify(s)
	}
	if s.Op.Extension() && c.peer.Load() != peerGodapl {
		return c.refuse(iwarp.CauseOpUnexpected, ulpdu, "the peer used an extension without introducing itself", deferred)
	}
	if s.Tagged {
		if c.in.tagged && c.in.taggedOp != s.Op {
			return c.refuse(iwarp.CauseOpUnexpected, ulpdu, "the operation changed inside a message", deferred)
		}
		if s.Op == iwarp.OpWrite {
			return c.place(s, ulpdu, deferred)
		}
		return c.placeResponse(s, ulpdu, deferred)
	}
	switch s.Op {
	case iwarp.OpReadRequest:
		return c.readRequest(s, ulpdu, deferred)
	case iwarp.OpAtomicRequest:
		return c.atomicRequest(s, ulpdu, deferred)
	case iwarp.OpAtomicResponse:
		return c.atomicResponse(s, ulpdu, deferred)
	case iwarp.OpTerminate:
		return c.terminated(s, deferred)
	case iwarp.OpImmediate, iwarp.OpImmediateSE:
		return c.immediate(s, ulpdu, deferred)
	}
	return c.message(s, ulpdu, deferred)
}

// identify learns from the first segment whether the peer is this library. A responder may send from here on, also if
// the segment is a message that waits for a receive.
func (c *Conn) identify(s *iwarp.Segment) {
	if s.Op == iwarp.OpWrite && s.Len == 0 && s.Last && s.TO == greetTO {
		c.peer.Store(peerGodapl)
		c.unalign()
	} else {
		c.peer.Store(peerOther)
	}
	c.maySend.Store(true)
	c.in.wakeSend = true // requests may have waited for this
}

// place copies a Write's bytes to their target.
func (c *Conn) place(s *iwarp.Segment, ulpdu []byte, deferred *core.Deferred) core.Outcome {
	in := &c.in
	if len(s.Payload) > 0 {
		dst, g, f := c.a.Keys.Check(c.q, hca.Key(s.STag), uint64(s.TO), uint64(len(s.Payload)), hca.RemoteWrite)
		if f != core.FaultNone {
			return c.refuseOp(hca.OpWrite, hca.StatusRemoteAccess, taggedCause[f], ulpdu, "the peer may not write there", deferred)
		}
		if _, at := rawmem.TryWrite(dst, s.Payload, s.Last, g.Frail); at != 0 {
			c.q.Faulted(at, "write of the peer's")
			return c.refuseOp(hca.OpWrite, hca.StatusRemoteAccess, taggedCause[core.FaultPage], ulpdu, "the page does not allow what the peer may write", deferred)
		}
	}
	if !in.tagged {
		in.written = 0
	}
	in.written += uint64(len(s.Payload))
	in.tagged, in.taggedOp = !s.Last, s.Op
	return core.Handled
}

// needReceive takes a receive for the message, or waits for one.
func (c *Conn) needReceive(ulpdu []byte, deferred *core.Deferred) core.Outcome {
	in := &c.in
	if in.HasCur {
		return core.Handled
	}
	switch in.NeedReceive(c.q, c) {
	case core.Handled:
		if c.stalled.Load() {
			c.stalled.Store(false)
		}
		in.off = 0
		return core.Handled
	case core.MustWait:
		if !c.stalled.Load() {
			c.stalled.Store(true)
			if c.Polled.Load() {
				c.w.ArmEnd(!c.fin.Load()) // nobody arms while that lasts
			}
		}
		return core.MustWait
	}
	return c.refuseOp(hca.OpSend, hca.StatusReceiverNotReady, iwarp.CauseUntaggedNoBuffer, ulpdu, "a message came and no receive was posted for it in time: post receives before the peer sends", deferred)
}

// failReceive completes the current receive in error and ends the connection; theirs is the status of the message that is
// refused.
func (c *Conn) failReceive(ours, theirs hca.Status, cause iwarp.Cause, ulpdu []byte, why string, deferred *core.Deferred) core.Outcome {
	c.in.Fail(c.q, ours, deferred)
	return c.refuseOp(hca.OpSend, theirs, cause, ulpdu, why, deferred)
}

// message copies a Send's bytes into the oldest receive.
func (c *Conn) message(s *iwarp.Segment, ulpdu []byte, deferred *core.Deferred) core.Outcome {
	in := &c.in
	switch {
	case s.MSN != in.msn:
		return c.refuse(iwarp.CauseUntaggedMSN, ulpdu, fmt.Sprintf("message %d came where %d was due", s.MSN, in.msn), deferred)
	case !in.HasCur && s.MO != 0, in.HasCur && uint64(s.MO) != in.off:
		return c.refuse(iwarp.CauseUntaggedMO, ulpdu, "a segment of a message is missing or came twice", deferred)
	case in.HasCur && (s.Op != in.op || s.Op.Invalidates() && s.InvSTag != in.inv):
		return c.refuse(iwarp.CauseOpUnexpected, ulpdu, "the operation changed inside a message", deferred)
	}
	if o := c.needReceive(ulpdu, deferred); o != core.Handled {
		return o
	}
	in.op, in.inv = s.Op, s.InvSTag
	if uint64(len(s.Payload)) > in.Cur.Room()-in.off {
		return c.failReceive(hca.StatusLocalLength, hca.StatusRemoteInvalid, iwarp.CauseUntaggedLong, ulpdu, "the message is longer than the receive: post larger receives", deferred)
	}
	core.RunStepHook(c.q, "place message")
	if !in.Place(c.q, in.off, s.Payload) {
		return c.failReceive(hca.StatusLocalProtection, hca.StatusRemoteOp, iwarp.CauseRDMAPLocal, ulpdu, "the memory of a receive is not usable", deferred)
	}
	in.off += uint64(len(s.Payload))
	if !s.Last {
		return core.Handled
	}
	op, key := hca.OpRecv, hca.Key(0)
	if s.Op.Invalidates() {
		op, key = hca.OpRecvInvalidate, hca.Key(s.InvSTag)
		switch c.q.Invalidate(key) {
		case core.FaultNone:
		case core.FaultKey:
			return c.failReceive(hca.StatusLocalProtection, hca.StatusRemoteAccess, iwarp.CauseOpInvalidate, ulpdu, "the peer invalidated an unknown key", deferred)
		default:
			return c.failReceive(hca.StatusLocalProtection, hca.StatusRemoteAccess, iwarp.CauseProtInvalidate, ulpdu, "the peer may not invalidate that key", deferred)
		}
	}
	c.deliver(op, in.off, 0, key, s.Op.Solicited(), deferred)
	return core.Handled
}

// deliver completes the current receive.
func (c *Conn) deliver(op hca.Op, n uint64, imm uint32, key hca.Key, solicited bool, deferred *core.Deferred) {
	c.in.msn++
	c.in.Complete(c.q, op, n, imm, key, solicited, deferred)
}

// immediate completes a receive with the immediate data of a Write.
func (c *Conn) immediate(s *iwarp.Segment, ulpdu []byte, deferred *core.Deferred) core.Outcome {
	in := &c.in
	if s.MSN != in.msn {
		return c.refuse(iwarp.CauseUntaggedMSN, ulpdu, fmt.Sprintf("message %d came where %d was due", s.MSN, in.msn), deferred)
	}
	if in.HasCur {
		return c.refuse(iwarp.CauseOpUnexpected, ulpdu, "the operation changed inside a message", deferred)
	}
	if o := c.needReceive(ulpdu, deferred); o != core.Handled {
		return o
	}
	data, err := iwarp.ParseImmediate(s.Payload)
	if err != nil {
		c.malformed(err, ulpdu, deferred)
		return core.Failed
	}
	c.deliver(hca.OpRecvWriteImm, in.written, uint32(data), 0, s.Op.Solicited(), deferred)
	return core.Handled
}
