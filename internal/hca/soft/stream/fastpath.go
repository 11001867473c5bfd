package stream

import (
	"github.com/godapl/godapl/internal/hca"
	"github.com/godapl/godapl/internal/hca/soft/core"
	"github.com/godapl/godapl/internal/hca/soft/rawmem"
	"github.com/godapl/godapl/internal/hca/soft/sendhalf"
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

// sendShort sends a message. The caller has counted the request and is inside tx.
func (c *Conn) sendShort(id uint64, flags hca.Flags, local hca.Segment) sendhalf.Now {
	q, o := c.q, &c.out
	n := int(local.Len)
	switch {
	case n > shortMax, n == 0, n+iwarp.UntaggedHeaderSize > int(c.mulpdu.Load()), c.markers:
		return sendhalf.NotNow
	case !q.NothingBefore(), len(o.list) > 0, o.closed, c.shared.greetRead, !c.maySend.Load(), c.shared.hello.Load(), c.shared.respCount.Load() > 0:
		return sendhalf.NotNow
	}
	switch behind := q.Behind(); {
	case behind && flags&hca.Private == 0:
		return sendhalf.NotNow // the message may be coalesced
	case behind, !q.Attended():
		q.PushOthers(&c.After)
	default:
		polls := q.SendCQ.PollCount.Load() + q.RecvCQ.PollCount.Load()
		if polls == c.lastPolls {
			return sendhalf.NotNow // likewise
		}
		c.lastPolls = polls
	}
	src, frail, f := core.LocalMem(q.PD, local, hca.LocalRead)
	if f != core.FaultNone {
		return sendhalf.NotNow
	}
	if frail {
		var data [shortMax]byte
		if !rawmem.TryCopy(data[:n], src, true) {
			return sendhalf.NotNow
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
		return sendhalf.NowDone
	}
	if err == wire.ErrAgain {
		return sendhalf.NotNow // the slow path finds it again, and waits
	}
	q.SQ.PushPlain(id, hca.OpSend, flags, local, 0, 0)
	c.continuePartial(b, sent, err)
	return sendhalf.NowSent
}

// continuePartial continues on the slow path with the youngest request, a message of which the stream accepted only
// the first sent bytes, or during which the stream was lost.
func (c *Conn) continuePartial(fpdu []byte, sent int, err error) {
	q, o := c.q, &c.out
	r := q.SQ.At(q.SQ.Next)
	r.Off, r.Begun = r.Total, true
	o.msn++
	o.offset += uint64(sent)
	o.begin()
	o.buf = append(o.buf, fpdu[sent:]...)
	o.appendHeader(0)
	c.countMade()
	if err != nil {
		c.writeFailed(err)
	}
	c.PumpSend()
}

// wholeSend takes the FPDU at the start of b if it is a whole message for the next receive. It is called inside
// rx.
func (c *Conn) wholeSend(b []byte, deferred *core.Deferred) bool {
	q, in := c.q, &c.in
	if in.HasCur || in.tagged || in.Stall.On || c.stalled.Load() {
		return false
	}
	payload, msn, used, ok := iwarp.ParseWholeSend(b, c.crc)
	if !ok || msn != in.msn || !q.NextReceive(&in.Cur) {
		return false
	}
	// The slow path uses the receive if this one fails.
	in.HasCur, in.op, in.inv, in.off = true, iwarp.OpSend, 0, 0
	if n := len(payload); n > 0 {
		if n > int(in.Cur.Local.Len) {
			return false
		}
		dst, frail, f := core.LocalMem(q.PD, in.Cur.Local, hca.LocalWrite)
		switch {
		case f != core.FaultNone:
			return false
		case frail:
			if !rawmem.TryCopy(dst, payload, true) {
				return false // the slow path finds the fault again
			}
		case n > shortMax:
			rawmem.CopyPiece(dst, payload)
		default:
			copy(dst, payload)
		}
	}
	in.r += used
	c.deliver(hca.OpRecv, uint64(len(payload)), 0, 0, false, deferred)
	return true
}
