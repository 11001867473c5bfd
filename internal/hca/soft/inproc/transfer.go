package inproc

import (
	"github.com/godapl/godapl/internal/hca"
	"github.com/godapl/godapl/internal/hca/ops"
	"github.com/godapl/godapl/internal/hca/soft/core"
	"github.com/godapl/godapl/internal/hca/soft/rawmem"
)

// carryOut works on the oldest request. It returns true with the status when the request is done. Otherwise the
// budget is used up, or the request waits for something that will run this queue pair again.
func (c *Conn) carryOut(r *core.SendReq, budget *int, deferred *core.Deferred) (hca.Status, bool) {
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
		return c.deliver(r, deferred)
	case hca.OpSend, hca.OpSendImm, hca.OpSendInvalidate:
		return c.send(r, budget, deferred)
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
	row := ops.Of(wr.Op)
	local, remote := row.Local, row.Remote
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
		near, frail, f := core.SegmentAt(q, q.PD, wr.Local, wr.More, r.Off, rawmem.PieceSize, local)
		if f != core.FaultNone {
			return hca.StatusLocalProtection, true
		}
		far, g, f := p.Adapter.Keys.Check(p, wr.RKey, wr.Remote+r.Off, uint64(len(near)), remote)
		if f != core.FaultNone {
			return hca.StatusRemoteAccess, true
		}
		var at uint64
		if frail = frail || g.Frail; wr.Op == hca.OpRead {
			_, at = rawmem.TryPiece(near, far, frail)
		} else {
			_, at = rawmem.TryWrite(far, near, r.Off+uint64(len(near)) == r.Total, frail)
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
	if rawmem.FaultIn(near, at) {
		q.Faulted(at, op.String())
		return hca.StatusLocalProtection
	}
	p.Faulted(at, op.String()+" of the peer's")
	return hca.StatusRemoteAccess
}

// needReceive takes a receive of the peer for the message, or waits for one.
func (c *Conn) needReceive() (hca.Status, bool) {
	switch c.NeedReceive(c.peer, c.q) {
	case core.MustWait:
		return 0, false
	case core.Failed:
		return hca.StatusReceiverNotReady, true
	}
	return hca.StatusOK, true
}

// send copies a message into the peer's oldest receive.
func (c *Conn) send(r *core.SendReq, budget *int, deferred *core.Deferred) (hca.Status, bool) {
	q, p := c.q, c.peer
	wr := &r.WR
	if status, ok := c.needReceive(); !ok || status != hca.StatusOK {
		return status, ok
	}
	if r.Off == 0 {
		if !core.LocalAll(q.PD, wr.Local, wr.More, hca.LocalRead) {
			return hca.StatusLocalProtection, true
		}
		if theirs, ours := c.Misfit(p, r.Total); theirs != hca.StatusOK {
			c.Fail(p, theirs, deferred)
			return ours, true
		}
	}
	for r.Off < r.Total {
		if *budget <= 0 {
			return 0, false
		}
		src, frail, f := core.SegmentAt(q, q.PD, wr.Local, wr.More, r.Off, rawmem.PieceSize, hca.LocalRead)
		if f != core.FaultNone {
			return hca.StatusLocalProtection, true
		}
		dst, theirs, f := core.ReceiveAt(&c.Cur, p, p.PD, r.Off, uint64(len(src)))
		n := 0
		if f == core.FaultNone {
			var at uint64
			if n, at = rawmem.TryPiece(dst, src, frail || theirs); at != 0 {
				if status := c.fault(at, src, wr.Op); status == hca.StatusLocalProtection {
					return status, true
				}
				f = core.FaultPage
			}
		}
		if f != core.FaultNone {
			c.Fail(p, hca.StatusLocalProtection, deferred)
			return hca.StatusRemoteOp, true
		}
		r.Off += uint64(n)
		*budget -= n
	}
	if wr.Op == hca.OpSendInvalidate && p.Invalidate(wr.RKey) != core.FaultNone {
		c.Fail(p, hca.StatusLocalProtection, deferred)
		return hca.StatusRemoteAccess, true
	}
	return c.deliver(r, deferred)
}

// deliver completes the peer's receive.
func (c *Conn) deliver(r *core.SendReq, deferred *core.Deferred) (hca.Status, bool) {
	if status, ok := c.needReceive(); !ok || status != hca.StatusOK {
		return status, ok
	}
	var imm uint32
	var key hca.Key
	row := ops.Of(r.WR.Op)
	if row.Imm {
		imm = r.WR.Imm
	}
	if row.Key {
		key = r.WR.RKey
	}
	c.Complete(c.peer, row.Delivers, r.Total, imm, key, r.WR.Flags&hca.Solicited != 0, deferred)
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
	old, at := rawmem.TryWord(word, g.Frail, wr.Op == hca.OpCompareSwap, wr.Operand, wr.Compare)
	if at == 0 {
		at = rawmem.TryPut(to, old, frail)
	}
	if at != 0 {
		return c.fault(at, to, wr.Op)
	}
	return hca.StatusOK
}
