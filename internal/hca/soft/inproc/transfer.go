package inproc

import (
	"github.com/godapl/godapl/internal/hca"
	"github.com/godapl/godapl/internal/hca/soft/core"
)

// atOnce carries out a small request without queueing it, if no request is before it in the queue. If it
// cannot, it returns false and changes nothing.
func (c *Conn) atOnce(wr *hca.SendWR, af *core.Deferred) bool {
	q, p := c.q, c.peer
	n := uint64(wr.Local.Len)
	if len(wr.More) > 0 || n > core.PieceSize || n == 0 || !q.NothingBefore() {
		return false
	}
	switch wr.Op {
	case hca.OpWrite:
		if !c.writeAtOnce(wr.Local, wr.Remote, wr.RKey) {
			return false
		}
	case hca.OpSend:
		src, frail, f := core.LocalMem(q.PD, wr.Local, hca.LocalRead)
		if f != core.FaultNone || c.curOn || !p.NextReceive(&c.cur) {
			return false
		}
		var to []byte
		theirs := false
		if uint64(c.cur.Local.Len) >= n {
			to, theirs, f = core.LocalMem(p.PD, c.cur.Local, hca.LocalWrite)
		}
		ok := to != nil && f == core.FaultNone
		if ok {
			_, at := core.TryPiece(to, src, frail || theirs)
			ok = at == 0
		}
		if !ok {
			c.curOn = true // the slow path uses the receive
			return false
		}
		p.Received(&c.cur, hca.OpRecv, hca.StatusOK, n, 0, 0, wr.Flags&hca.Solicited != 0, af)
	default:
		return false
	}
	q.Complete(wr, n, hca.StatusOK, af)
	return true
}

// carryOut works on the oldest request. It returns true with the status when the request is done. Otherwise the
// budget is used up, or the request waits for something that will run this queue pair again.
func (c *Conn) carryOut(r *core.SendReq, budget *int, af *core.Deferred) (hca.Status, bool) {
	wr := &r.WR
	switch wr.Op {
	case hca.OpWrite, hca.OpRead:
		return c.transfer(r, budget)
	case hca.OpWriteImm:
		if r.Off < r.Total || r.Total == 0 && !r.Begun {
			if status, ok := c.transfer(r, budget); !ok || status != hca.StatusOK {
				return status, ok
			}
			r.Begun = true
		}
		return c.deliver(r, hca.OpRecvWriteImm, af)
	case hca.OpSend, hca.OpSendImm, hca.OpSendInvalidate:
		return c.send(r, budget, af)
	case hca.OpFetchAdd, hca.OpCompareSwap:
		return c.atomic(wr), true
	}
	return c.q.RunBind(r)
}

// transfer copies between the memory of the two sides. It looks up the keys for each piece anew, so that the
// revocation of a key waits for one piece at most.
func (c *Conn) transfer(r *core.SendReq, budget *int) (hca.Status, bool) {
	q, p := c.q, c.peer
	wr := &r.WR
	local, remote := hca.LocalRead, hca.RemoteWrite
	if wr.Op == hca.OpRead {
		local, remote = hca.LocalWrite, hca.RemoteRead
	}
	if r.Off == 0 && r.Total > 0 {
		// The whole range is checked before the first byte moves.
		if _, _, f := p.Adapter.Keys.Check(p, wr.RKey, wr.Remote, r.Total, remote); f != core.FaultNone {
			return hca.StatusRemoteAccess, true
		}
		if !core.LocalAll(q.PD, wr.Local, wr.More, local) {
			return hca.StatusLocalProtection, true
		}
	}
	for r.Off < r.Total {
		if *budget <= 0 {
			return 0, false
		}
		near, frail, f := core.SegmentAt(q, q.PD, wr.Local, wr.More, r.Off, core.PieceSize, local)
		if f != core.FaultNone {
			return hca.StatusLocalProtection, true
		}
		far, g, f := p.Adapter.Keys.Check(p, wr.RKey, wr.Remote+r.Off, uint64(len(near)), remote)
		if f != core.FaultNone {
			return hca.StatusRemoteAccess, true
		}
		var at uint64
		if frail = frail || g.Frail; wr.Op == hca.OpRead {
			_, at = core.TryPiece(near, far, frail)
		} else {
			_, at = core.TryWrite(far, near, r.Off+uint64(len(near)) == r.Total, frail)
		}
		if at != 0 {
			return c.fault(at, near, wr.Op), true
		}
		r.Off += uint64(len(near))
		*budget -= len(near)
	}
	return hca.StatusOK, true
}

// fault returns the status of a request after a page fault, which lies in near, memory of q, or in the peer's
// memory.
func (c *Conn) fault(at uint64, near []byte, op hca.Op) hca.Status {
	q, p := c.q, c.peer
	if core.FaultIn(near, at) {
		q.Faulted(at, op.String())
		return hca.StatusLocalProtection
	}
	p.Faulted(at, op.String()+" of the peer's")
	return hca.StatusRemoteAccess
}

// needReceive takes a receive of the peer into cur, or waits for one.
func (c *Conn) needReceive() (hca.Status, bool) {
	q, p := c.q, c.peer
	if c.curOn {
		return hca.StatusOK, true
	}
	if !p.NextReceive(&c.cur) {
		if c.stall.Begin(q.Adapter.ReceiveWait, q) {
			return 0, false
		}
		return hca.StatusReceiverNotReady, true
	}
	c.stall.Clear()
	c.curOn = true
	return hca.StatusOK, true
}

// send copies a message into the peer's oldest receive.
func (c *Conn) send(r *core.SendReq, budget *int, af *core.Deferred) (hca.Status, bool) {
	q, p := c.q, c.peer
	wr := &r.WR
	if status, ok := c.needReceive(); !ok || status != hca.StatusOK {
		return status, ok
	}
	if r.Off == 0 {
		fail := func(theirs, ours hca.Status) (hca.Status, bool) {
			c.curOn = false
			p.Received(&c.cur, hca.OpRecv, theirs, 0, 0, 0, false, af)
			return ours, true
		}
		switch {
		case !core.LocalAll(q.PD, wr.Local, wr.More, hca.LocalRead):
			return hca.StatusLocalProtection, true
		case r.Total > c.cur.Room():
			return fail(hca.StatusLocalLength, hca.StatusRemoteInvalid)
		case r.Total > 0 && !core.LocalAll(p.PD, c.cur.Local, c.cur.More, hca.LocalWrite):
			return fail(hca.StatusLocalProtection, hca.StatusRemoteOp)
		}
	}
	for r.Off < r.Total {
		if *budget <= 0 {
			return 0, false
		}
		src, frail, f := core.SegmentAt(q, q.PD, wr.Local, wr.More, r.Off, core.PieceSize, hca.LocalRead)
		if f != core.FaultNone {
			return hca.StatusLocalProtection, true
		}
		dst, theirs, f := c.cur.At(p, p.PD, r.Off, uint64(len(src)))
		n := 0
		if f == core.FaultNone {
			var at uint64
			if n, at = core.TryPiece(dst, src, frail || theirs); at != 0 {
				if status := c.fault(at, src, wr.Op); status == hca.StatusLocalProtection {
					return status, true
				}
				f = core.FaultPage
			}
		}
		if f != core.FaultNone {
			c.curOn = false
			p.Received(&c.cur, hca.OpRecv, hca.StatusLocalProtection, 0, 0, 0, false, af)
			return hca.StatusRemoteOp, true
		}
		r.Off += uint64(n)
		*budget -= n
	}
	op := hca.OpRecv
	switch wr.Op {
	case hca.OpSendImm:
		op = hca.OpRecvImm
	case hca.OpSendInvalidate:
		op = hca.OpRecvInvalidate
		if p.Invalidate(wr.RKey) != core.FaultNone {
			c.curOn = false
			p.Received(&c.cur, hca.OpRecv, hca.StatusLocalProtection, 0, 0, 0, false, af)
			return hca.StatusRemoteAccess, true
		}
	}
	return c.deliver(r, op, af)
}

// deliver completes the peer's receive.
func (c *Conn) deliver(r *core.SendReq, op hca.Op, af *core.Deferred) (hca.Status, bool) {
	p := c.peer
	if status, ok := c.needReceive(); !ok || status != hca.StatusOK {
		return status, ok
	}
	var imm uint32
	var key hca.Key
	switch op {
	case hca.OpRecvImm, hca.OpRecvWriteImm:
		imm = r.WR.Imm
	case hca.OpRecvInvalidate:
		key = r.WR.RKey
	}
	c.curOn = false
	p.Received(&c.cur, op, hca.StatusOK, r.Total, imm, key, r.WR.Flags&hca.Solicited != 0, af)
	return hca.StatusOK, true
}

func (c *Conn) atomic(wr *hca.SendWR) hca.Status {
	q, p := c.q, c.peer
	to, frail, f := core.SegmentAt(q, q.PD, wr.Local, wr.More, 0, 8, hca.LocalWrite)
	if f != core.FaultNone || len(to) != 8 {
		return hca.StatusLocalProtection
	}
	if wr.Remote%8 != 0 {
		return hca.StatusRemoteInvalid
	}
	word, g, f := p.Adapter.Keys.Check(p, wr.RKey, wr.Remote, 8, hca.RemoteAtomic)
	if f != core.FaultNone {
		return hca.StatusRemoteAccess
	}
	old, at := core.TryWord(word, g.Frail, wr.Op == hca.OpCompareSwap, wr.Operand, wr.Compare)
	if at == 0 {
		at = core.TryPut(to, old, frail)
	}
	if at != 0 {
		return c.fault(at, to, wr.Op)
	}
	return hca.StatusOK
}
