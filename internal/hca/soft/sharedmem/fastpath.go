package sharedmem

import (
	"github.com/godapl/godapl/internal/hca"
	"github.com/godapl/godapl/internal/hca/soft/core"
)

// Short cuts for a message that fits into a slot and that nothing is in the way of. Each
// does what the long way would, or has done nothing when it says no.

// firstLine is how many bytes of a message are in the cache line of the slot's stamp.
const firstLine = 64 - (slotSize - slotInline) - sendHead

// sendShort puts a message into a slot. The caller has counted it and is inside tx; if
// it says yes, it has left.
func (c *Conn) sendShort(id uint64, flags hca.Flags, local hca.Segment) bool {
	q, o := c.q, &c.out
	n := int(local.Len)
	if n > sendMost || n == 0 || q.SQ.Next != q.SQ.Tail || q.Reporting || q.Inboxed.Load() != 0 ||
		q.State.Load() != core.StateReady || o.closed || c.gone || c.bad.Load() || c.fenced(flags) {
		return false
	}
	src, frail, f := core.LocalMem(q.PD, local, hca.LocalRead)
	if f != core.FaultNone {
		return false
	}
	slot, _, _, err := o.requests.room(0)
	if slot == nil || err != nil {
		return false
	}
	if frail {
		var octets [sendMost]byte
		if !core.TryCopy(octets[:n], src, true) {
			return false
		}
		src = octets[:n]
	}
	c.opened(openSent)
	how := flagLast | c.ackFlag(flags)
	if flags&hca.Solicited != 0 {
		how |= flagSolicited
	}
	if n > firstLine {
		copy(slot[sendHead+firstLine:], src[firstLine:])
		src = src[:firstLine]
	}
	order64.PutUint32(slot, 0)
	copy(slot[sendHead:], src)
	o.requests.commit(frameSend, how, sendHead+n, 0)
	q.SQ.PushPlain(id, hca.OpSend, flags, local)
	r := q.SQ.At(q.SQ.Next)
	r.Begun, r.Off, r.Frame = true, r.Total, o.requests.sent
	q.SQ.Next++
	c.ring()
	if q.Tx.Leave() {
		var af core.Deferred
		c.pump(&af)
		c.leave(&af)
	}
	return true
}

// wholeShort takes a message that came in a slot if it is for the next receive and fits
// into it. It is called inside rx.
func (c *Conn) wholeShort(f *frame, af *core.Deferred) bool {
	q, in := c.q, &c.in
	if in.kind != 0 || in.curOn || in.stall.On || f.flags != flagLast && f.flags != flagLast|flagAck || !q.NextReceive(&in.cur) {
		return false
	}
	in.curOn = true // the long way has it, if this cannot be done
	if f.n == 0 || f.n > in.cur.Local.Len || len(in.cur.More) > 0 {
		return false
	}
	to, frail, fault := core.LocalMem(q.PD, in.cur.Local, hca.LocalWrite)
	if fault != core.FaultNone || !core.TryCopy(to, in.requests.buf[sendHead:sendHead+int(f.n)], frail) {
		return false
	}
	in.curOn = false
	q.Received(&in.cur, hca.OpRecv, hca.StatusOK, uint64(f.n), 0, 0, false, af)
	return true
}
