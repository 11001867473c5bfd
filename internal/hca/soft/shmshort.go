package soft

import "github.com/godapl/godapl/internal/hca"

// Short cuts for a message that fits into a slot and that nothing is in the way of. Each
// does what the long way would, or has done nothing when it says no.

// firstLine is how many octets of a message are in the cache line of the slot's stamp.
const firstLine = 64 - (shmSlot - shmInline) - sendHead

// sendShort puts a message into a slot. The caller has counted it and is inside tx; if
// it says yes, it has left.
func (c *shmConn) sendShort(id uint64, flags hca.Flags, local hca.Segment) bool {
	q, o := c.q, &c.out
	n := int(local.Len)
	if n > sendMost || n == 0 || q.sq.next != q.sq.tail || q.held || q.inboxed.Load() != 0 ||
		q.state.Load() != stReady || o.closed || c.gone || c.bad.Load() || c.fenced(flags) {
		return false
	}
	src, frail, f := localMem(q.pd, local, hca.LocalRead)
	if f != faultNone {
		return false
	}
	slot, _, _, err := o.requests.room(0)
	if slot == nil || err != nil {
		return false
	}
	if frail {
		var octets [sendMost]byte
		if !tryCopy(octets[:n], src, true) {
			return false
		}
		src = octets[:n]
	}
	c.opened(openSent)
	how := flLast | c.tellFlag(flags)
	if flags&hca.Solicited != 0 {
		how |= flSolicited
	}
	if n > firstLine {
		copy(slot[sendHead+firstLine:], src[firstLine:])
		src = src[:firstLine]
	}
	order64.PutUint32(slot, 0)
	copy(slot[sendHead:], src)
	o.requests.commit(frSend, how, sendHead+n, 0)
	q.sq.pushPlain(id, hca.OpSend, flags, local)
	r := q.sq.at(q.sq.next)
	r.begun, r.off, r.frame = true, r.total, o.requests.sent
	q.sq.next++
	c.ring()
	if q.tx.leave() {
		var af after
		c.pump(&af)
		c.leave(&af)
	}
	return true
}

// wholeShort takes a message that came in a slot if it is for the next receive and fits
// into it. It is called inside rx.
func (c *shmConn) wholeShort(f *frame, af *after) bool {
	q, in := c.q, &c.in
	if in.kind != 0 || in.curOn || in.stall.on || f.flags != flLast && f.flags != flLast|flTell || !q.nextReceive(&in.cur) {
		return false
	}
	in.curOn = true // the long way has it, if this cannot be done
	if f.n == 0 || f.n > in.cur.local.Len || len(in.cur.more) > 0 {
		return false
	}
	to, frail, fault := localMem(q.pd, in.cur.local, hca.LocalWrite)
	if fault != faultNone || !tryCopy(to, in.requests.buf[sendHead:sendHead+int(f.n)], frail) {
		return false
	}
	in.curOn = false
	q.received(&in.cur, hca.OpRecv, hca.StatusOK, uint64(f.n), 0, 0, false, af)
	return true
}
