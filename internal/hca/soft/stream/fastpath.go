package stream

import (
	"github.com/godapl/godapl/internal/hca"
	"github.com/godapl/godapl/internal/hca/soft/core"
	"github.com/godapl/godapl/internal/hca/soft/stream/wire"
	"github.com/godapl/godapl/internal/iwarp"
)

// Fast paths for a short message that nothing delays. Most of the time between two system calls is spent
// fetching code that left the caches, so the common case runs little code. Each fast path has the effect of the
// slow path, or returns false and changes nothing.

// shortMax is the largest message that sendShort sends.
const shortMax = 224

// shortSize is the size of its FPDU.
const shortSize = iwarp.LengthSize + iwarp.UntaggedHeaderSize + shortMax + 4 + iwarp.CRCSize

// sendShort sends a message and completes it. The caller has counted the request and is inside tx. If sendShort
// returns true, it has left tx.
func (c *Conn) sendShort(id uint64, flags hca.Flags, local hca.Segment) bool {
	q, o := c.q, &c.out
	n := int(local.Len)
	switch {
	case n > shortMax, n == 0, n+iwarp.UntaggedHeaderSize > int(c.mulpdu.Load()), c.markers:
		return false
	case !q.NothingBefore(), len(o.list) > 0, o.hold, c.mid.greetRead, !c.talk.Load(), c.mid.hello.Load(), c.mid.owed.Load() > 0:
		return false
	}
	if q.Attended() {
		look := q.SendCQ.PollCount.Load() + q.RecvCQ.PollCount.Load()
		if look == c.look {
			return false // the message may be coalesced
		}
		c.look = look
	}
	src, frail, f := core.LocalMem(q.PD, local, hca.LocalRead)
	if f != core.FaultNone {
		return false
	}
	if frail {
		var data [shortMax]byte
		if !core.TryCopy(data[:n], src, true) {
			return false
		}
		src = data[:n]
	}
	op := iwarp.OpSend
	if flags&hca.Solicited != 0 {
		op = iwarp.OpSendSE
	}
	b := iwarp.PutWholeSend(o.short[:], op, o.msn, src, c.crc)
	o.list = append(o.list, b)
	sent, err := c.w.Write(o.list)
	o.list = o.list[:0]
	if err == nil && sent == len(b) {
		o.offset += uint64(sent)
		o.msn++
		if q.Completed(id, uint64(n), hca.OpSend, flags) {
			c.goOn(flags)
		}
		return true
	}
	if err == wire.ErrAgain {
		return false // the slow path finds it again, and waits
	}
	c.sentPart(&hca.SendWR{ID: id, Op: hca.OpSend, Flags: flags, Local: local}, b, sent, err)
	return true
}

// sentPart continues on the slow path with a message of which the stream accepted only the first sent bytes, or
// during which the stream was lost.
func (c *Conn) sentPart(wr *hca.SendWR, fpdu []byte, sent int, err error) {
	q, o := c.q, &c.out
	var af core.Deferred
	q.SQ.Push(wr)
	r := q.SQ.At(q.SQ.Next)
	r.Off, r.Begun = r.Total, true
	c.made()
	o.msn++
	o.offset += uint64(sent)
	o.begin()
	o.buf = append(o.buf, fpdu[sent:]...)
	o.appendHeader(0)
	if err != nil {
		c.lost(err)
	}
	c.pump(&af)
	c.leave(&af)
}

// wholeSend takes the FPDU at the start of b if it is a whole message for the next receive. It is called inside
// rx.
func (c *Conn) wholeSend(b []byte, af *core.Deferred) bool {
	q, in := c.q, &c.in
	if in.curOn || in.tagged || in.stall.On || c.stalled.Load() {
		return false
	}
	payload, msn, used, ok := iwarp.ParseWholeSend(b, c.crc)
	if !ok || msn != in.msn || !q.NextReceive(&in.cur) {
		return false
	}
	// The slow path uses the receive if this one fails.
	in.curOn, in.op, in.inv, in.off = true, iwarp.OpSend, 0, 0
	if n := len(payload); n > 0 {
		if n > int(in.cur.Local.Len) {
			return false
		}
		dst, frail, f := core.LocalMem(q.PD, in.cur.Local, hca.LocalWrite)
		switch {
		case f != core.FaultNone:
			return false
		case frail:
			if !core.TryCopy(dst, payload, true) {
				return false // the slow path finds the fault again
			}
		case n > shortMax:
			core.CopyPiece(dst, payload)
		default:
			copy(dst, payload)
		}
	}
	in.r += used
	c.deliver(hca.OpRecv, uint64(len(payload)), 0, 0, false, af)
	return true
}
