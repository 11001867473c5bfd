package soft

import (
	"github.com/godapl/godapl/internal/hca"
)

// atOnce carries out a small request of a queue with nothing in it, without
// putting it there. It reports false, having done nothing, if that cannot be.
func (c *loopConn) atOnce(wr *hca.SendWR, af *after) bool {
	q, p := c.q, c.peer
	n := uint64(wr.Local.Len)
	if len(wr.More) > 0 || n > pieceSize || n == 0 || !q.clear() {
		return false
	}
	switch wr.Op {
	case hca.OpWrite:
		if !c.writeAtOnce(wr.Local, wr.Remote, wr.RKey) {
			return false
		}
	case hca.OpSend:
		src, frail, f := localMem(q.pd, wr.Local, hca.LocalRead)
		if f != faultNone || c.curOn || !p.nextReceive(&c.cur) {
			return false
		}
		var to []byte
		theirs := false
		if uint64(c.cur.local.Len) >= n {
			to, theirs, f = localMem(p.pd, c.cur.local, hca.LocalWrite)
		}
		ok := to != nil && f == faultNone
		if ok {
			_, at := tryPiece(to, src, frail || theirs)
			ok = at == 0
		}
		if !ok {
			c.curOn = true // taken: the slow way goes on with it
			return false
		}
		p.received(&c.cur, hca.OpRecv, hca.StatusOK, n, 0, 0, wr.Flags&hca.Solicited != 0, af)
	default:
		return false
	}
	q.complete(wr, n, hca.StatusOK, af)
	return true
}

// carryOut works on the oldest request. It reports the status when the request
// is done; otherwise either the budget is spent, or the request waits for
// something that will run this queue pair again.
func (c *loopConn) carryOut(r *sendReq, budget *int, af *after) (hca.Status, bool) {
	wr := &r.wr
	switch wr.Op {
	case hca.OpWrite, hca.OpRead:
		return c.transfer(r, budget)
	case hca.OpWriteImm:
		if r.off < r.total || r.total == 0 && !r.begun {
			if status, ok := c.transfer(r, budget); !ok || status != hca.StatusOK {
				return status, ok
			}
			r.begun = true
		}
		return c.deliver(r, hca.OpRecvWriteImm, af)
	case hca.OpSend, hca.OpSendImm, hca.OpSendInvalidate:
		return c.send(r, budget, af)
	case hca.OpFetchAdd, hca.OpCompareSwap:
		return c.atomic(wr), true
	}
	return c.q.runBind(r)
}

// transfer copies between the two sides' memory. Each piece is looked up
// anew, so that revoking a key waits for one piece at most.
func (c *loopConn) transfer(r *sendReq, budget *int) (hca.Status, bool) {
	q, p := c.q, c.peer
	wr := &r.wr
	local, remote := hca.LocalRead, hca.RemoteWrite
	if wr.Op == hca.OpRead {
		local, remote = hca.LocalWrite, hca.RemoteRead
	}
	if r.off == 0 && r.total > 0 {
		// The whole range is checked before the first octet moves.
		if _, _, f := p.a.keys.check(p, wr.RKey, wr.Remote, r.total, remote); f != faultNone {
			return hca.StatusRemoteAccess, true
		}
		if !localAll(q.pd, wr.Local, wr.More, local) {
			return hca.StatusLocalProtection, true
		}
	}
	for r.off < r.total {
		if *budget <= 0 {
			return 0, false
		}
		near, frail, f := scatter(q, q.pd, wr.Local, wr.More, r.off, pieceSize, local)
		if f != faultNone {
			return hca.StatusLocalProtection, true
		}
		far, g, f := p.a.keys.check(p, wr.RKey, wr.Remote+r.off, uint64(len(near)), remote)
		if f != faultNone {
			return hca.StatusRemoteAccess, true
		}
		var at uint64
		if frail = frail || g.frail; wr.Op == hca.OpRead {
			_, at = tryPiece(near, far, frail)
		} else {
			_, at = tryWrite(far, near, r.off+uint64(len(near)) == r.total, frail)
		}
		if at != 0 {
			return c.fault(at, near, wr.Op), true
		}
		r.off += uint64(len(near))
		*budget -= len(near)
	}
	return hca.StatusOK, true
}

// fault is the status of a request that a page was in the way of: q's, if it is of
// near, or its peer's.
func (c *loopConn) fault(at uint64, near []byte, op hca.Op) hca.Status {
	q, p := c.q, c.peer
	if inside(near, at) {
		q.faulted(at, op.String())
		return hca.StatusLocalProtection
	}
	p.faulted(at, op.String()+" of the peer's")
	return hca.StatusRemoteAccess
}

// needReceive has a receive of the peer in cur, or waits for one.
func (c *loopConn) needReceive() (hca.Status, bool) {
	q, p := c.q, c.peer
	if c.curOn {
		return hca.StatusOK, true
	}
	if !p.nextReceive(&c.cur) {
		if c.stall.begin(q.a.receiveWait, q) {
			return 0, false
		}
		return hca.StatusReceiverNotReady, true
	}
	c.stall.clear()
	c.curOn = true
	return hca.StatusOK, true
}

// send moves a message into the peer's oldest receive.
func (c *loopConn) send(r *sendReq, budget *int, af *after) (hca.Status, bool) {
	q, p := c.q, c.peer
	wr := &r.wr
	if status, ok := c.needReceive(); !ok || status != hca.StatusOK {
		return status, ok
	}
	if r.off == 0 {
		fail := func(theirs, ours hca.Status) (hca.Status, bool) {
			c.curOn = false
			p.received(&c.cur, hca.OpRecv, theirs, 0, 0, 0, false, af)
			return ours, true
		}
		switch {
		case !localAll(q.pd, wr.Local, wr.More, hca.LocalRead):
			return hca.StatusLocalProtection, true
		case r.total > c.cur.room():
			return fail(hca.StatusLocalLength, hca.StatusRemoteInvalid)
		case r.total > 0 && !localAll(p.pd, c.cur.local, c.cur.more, hca.LocalWrite):
			return fail(hca.StatusLocalProtection, hca.StatusRemoteOp)
		}
	}
	for r.off < r.total {
		if *budget <= 0 {
			return 0, false
		}
		src, frail, f := scatter(q, q.pd, wr.Local, wr.More, r.off, pieceSize, hca.LocalRead)
		if f != faultNone {
			return hca.StatusLocalProtection, true
		}
		dst, theirs, f := c.cur.at(p, p.pd, r.off, uint64(len(src)))
		n := 0
		if f == faultNone {
			var at uint64
			if n, at = tryPiece(dst, src, frail || theirs); at != 0 {
				if status := c.fault(at, src, wr.Op); status == hca.StatusLocalProtection {
					return status, true
				}
				f = faultPage
			}
		}
		if f != faultNone {
			c.curOn = false
			p.received(&c.cur, hca.OpRecv, hca.StatusLocalProtection, 0, 0, 0, false, af)
			return hca.StatusRemoteOp, true
		}
		r.off += uint64(n)
		*budget -= n
	}
	op := hca.OpRecv
	switch wr.Op {
	case hca.OpSendImm:
		op = hca.OpRecvImm
	case hca.OpSendInvalidate:
		op = hca.OpRecvInvalidate
		if p.invalidate(wr.RKey) != faultNone {
			c.curOn = false
			p.received(&c.cur, hca.OpRecv, hca.StatusLocalProtection, 0, 0, 0, false, af)
			return hca.StatusRemoteAccess, true
		}
	}
	return c.deliver(r, op, af)
}

// deliver completes the peer's receive.
func (c *loopConn) deliver(r *sendReq, op hca.Op, af *after) (hca.Status, bool) {
	p := c.peer
	if status, ok := c.needReceive(); !ok || status != hca.StatusOK {
		return status, ok
	}
	var imm uint32
	var key hca.Key
	switch op {
	case hca.OpRecvImm, hca.OpRecvWriteImm:
		imm = r.wr.Imm
	case hca.OpRecvInvalidate:
		key = r.wr.RKey
	}
	c.curOn = false
	p.received(&c.cur, op, hca.StatusOK, r.total, imm, key, r.wr.Flags&hca.Solicited != 0, af)
	return hca.StatusOK, true
}

func (c *loopConn) atomic(wr *hca.SendWR) hca.Status {
	q, p := c.q, c.peer
	to, frail, f := scatter(q, q.pd, wr.Local, wr.More, 0, 8, hca.LocalWrite)
	if f != faultNone || len(to) != 8 {
		return hca.StatusLocalProtection
	}
	if wr.Remote%8 != 0 {
		return hca.StatusRemoteInvalid
	}
	word, g, f := p.a.keys.check(p, wr.RKey, wr.Remote, 8, hca.RemoteAtomic)
	if f != faultNone {
		return hca.StatusRemoteAccess
	}
	old, at := tryWord(word, g.frail, wr.Op == hca.OpCompareSwap, wr.Operand, wr.Compare)
	if at == 0 {
		at = tryPut(to, old, frail)
	}
	if at != 0 {
		return c.fault(at, to, wr.Op)
	}
	return hca.StatusOK
}
