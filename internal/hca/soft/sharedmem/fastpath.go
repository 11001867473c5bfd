package sharedmem

import (
	"github.com/godapl/godapl/internal/hca"
	"github.com/godapl/godapl/internal/hca/soft/core"
	"github.com/godapl/godapl/internal/hca/soft/rawmem"
)

// Fast paths for a message that fits into one slot. Each has the effect of the slow path, or returns false and
// changes nothing.

// firstLine is how many bytes of a message share a cache line with the slot's stamp.
const firstLine = 64 - (slotSize - slotInline) - sendHead

// sendShort puts a message into one slot. The caller has counted the request and is inside tx.
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
		var data [sendMost]byte
		if !rawmem.TryCopy(data[:n], src, true) {
			return false
		}
		src = data[:n]
	}
	c.opened(openSent)
	how := flagLast | c.ackFlags(flags, 1)
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
	q.SQ.PushPlain(id, hca.OpSend, flags, local, 0, 0)
	r := q.SQ.At(q.SQ.Next)
	r.Begun, r.Off, r.Frame = true, r.Total, o.requests.sent
	q.SQ.Next++
	c.ring()
	return true
}

// wholeShort places a message of one slot into the next receive, if it fits. The caller is inside rx.
func (c *Conn) wholeShort(f *frame, deferred *core.Deferred) bool {
	q, in := c.q, &c.in
	if in.kind != 0 || in.HasCur || in.Stall.On || f.flags&^(flagAck|flagWake) != flagLast || !q.NextReceive(&in.Cur) {
		return false
	}
	in.HasCur = true // the slow path uses it, if this one fails
	if f.n == 0 || f.n > in.Cur.Local.Len || len(in.Cur.More) > 0 {
		return false
	}
	to, frail, fault := core.LocalMem(q.PD, in.Cur.Local, hca.LocalWrite)
	if fault != core.FaultNone || !rawmem.TryCopy(to, in.requests.buf[sendHead:sendHead+int(f.n)], frail) {
		return false
	}
	in.ackFirst(f)
	in.Complete(q, hca.OpRecv, uint64(f.n), 0, 0, false, deferred)
	return true
}
