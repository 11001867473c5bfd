package soft

import (
	"github.com/godapl/godapl/internal/hca"
)

// atOnce carries out a small request of a queue with nothing in it, without
// putting it there. It reports false, having done nothing, if that cannot be.
func (q *qp) atOnce(wr *hca.SendWR, af *after) bool {
	n := uint64(wr.Local.Len)
	p := q.peer.Load()
	if p == nil {
		return q.atOnceOut(wr, n, af)
	}
	if len(wr.More) > 0 || n > pieceSize || n == 0 || !q.clear() {
		return false
	}
	switch wr.Op {
	case hca.OpWrite:
		if !q.writeAtOnce(p, wr.Local, wr.Remote, wr.RKey) {
			return false
		}
	case hca.OpSend:
		src, frail, f := localMem(q.pd, wr.Local, hca.LocalRead)
		if f != faultNone || q.curOn || !p.nextReceive(&q.cur) {
			return false
		}
		var to []byte
		theirs := false
		if uint64(q.cur.local.Len) >= n {
			to, theirs, f = localMem(p.pd, q.cur.local, hca.LocalWrite)
		}
		ok := to != nil && f == faultNone
		if ok {
			_, at := tryPiece(to, src, frail || theirs)
			ok = at == 0
		}
		if !ok {
			q.curOn = true // taken: the slow way goes on with it
			return false
		}
		p.received(&q.cur, hca.OpRecv, hca.StatusOK, n, 0, 0, wr.Flags&hca.Solicited != 0, af)
	default:
		return false
	}
	q.complete(wr, n, hca.StatusOK, af)
	return true
}

// atOnceOut is atOnce for a peer in another process: writes to memory that is
// mapped here can be.
func (q *qp) atOnceOut(wr *hca.SendWR, n uint64, af *after) bool {
	c := q.shm.Load()
	if c == nil || wr.Op != hca.OpWrite || len(wr.More) > 0 || !q.clear() || !c.writeAtOnce(wr.Local, wr.Remote, wr.RKey) {
		return false
	}
	q.complete(wr, n, hca.StatusOK, af)
	return true
}

// nextReceive takes the oldest receive that is for this queue pair's connection.
// If there is none, receiveCame is called when there is one.
func (q *qp) nextReceive(dst *receive) bool {
	if q.srq != nil {
		return q.srq.takeFor(dst, q)
	}
	if q.rq.take(dst) {
		return true
	}
	// Ask to be woken, and look again: it may have come in between.
	q.rq.missing.Store(true)
	return q.rq.takeBehind(dst)
}

// loopRun works on the oldest request. It reports the status when the request
// is done; otherwise either the budget is spent, or the request waits for
// something that will run this queue pair again.
func (q *qp) loopRun(r *sendReq, budget *int, af *after) (hca.Status, bool) {
	p := q.peer.Load()
	wr := &r.wr
	switch wr.Op {
	case hca.OpWrite, hca.OpRead:
		return q.loopTransfer(p, r, budget)
	case hca.OpWriteImm:
		if r.off < r.total || r.total == 0 && !r.begun {
			if status, ok := q.loopTransfer(p, r, budget); !ok || status != hca.StatusOK {
				return status, ok
			}
			r.begun = true
		}
		return q.loopDeliver(p, r, hca.OpRecvWriteImm, af)
	case hca.OpSend, hca.OpSendImm, hca.OpSendInvalidate:
		return q.loopSend(p, r, budget, af)
	case hca.OpFetchAdd, hca.OpCompareSwap:
		return q.loopAtomic(p, wr), true
	}
	return q.runBind(r)
}

// loopTransfer copies between the two sides' memory. Each piece is looked up
// anew, so that revoking a key waits for one piece at most.
func (q *qp) loopTransfer(p *qp, r *sendReq, budget *int) (hca.Status, bool) {
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
			return q.loopFault(p, at, near, wr.Op), true
		}
		r.off += uint64(len(near))
		*budget -= len(near)
	}
	return hca.StatusOK, true
}

// loopFault is the status of a request that a page was in the way of: q's, if it is of
// near, or its peer's.
func (q *qp) loopFault(p *qp, at uint64, near []byte, op hca.Op) hca.Status {
	if inside(near, at) {
		q.faulted(at, op.String())
		return hca.StatusLocalProtection
	}
	p.faulted(at, op.String()+" of the peer's")
	return hca.StatusRemoteAccess
}

// localAll checks all segments that have octets.
func localAll(p *pd, first hca.Segment, more []hca.Segment, need hca.Access) bool {
	seg := first
	for i := 0; ; i++ {
		if seg.Len > 0 {
			if _, _, f := localMem(p, seg, need); f != faultNone {
				return false
			}
		}
		if i == len(more) {
			return true
		}
		seg = more[i]
	}
}

// needReceive has a receive of the peer in cur, or waits for one.
func (q *qp) needReceive(p *qp) (hca.Status, bool) {
	if q.curOn {
		return hca.StatusOK, true
	}
	if !p.nextReceive(&q.cur) {
		if q.stall.begin(q.a.receiveWait, q) {
			return 0, false
		}
		return hca.StatusReceiverNotReady, true
	}
	q.stall.clear()
	q.curOn = true
	return hca.StatusOK, true
}

// loopSend moves a message into the peer's oldest receive.
func (q *qp) loopSend(p *qp, r *sendReq, budget *int, af *after) (hca.Status, bool) {
	wr := &r.wr
	if status, ok := q.needReceive(p); !ok || status != hca.StatusOK {
		return status, ok
	}
	if r.off == 0 {
		fail := func(theirs, ours hca.Status) (hca.Status, bool) {
			q.curOn = false
			p.received(&q.cur, hca.OpRecv, theirs, 0, 0, 0, false, af)
			return ours, true
		}
		switch {
		case !localAll(q.pd, wr.Local, wr.More, hca.LocalRead):
			return hca.StatusLocalProtection, true
		case r.total > q.cur.room():
			return fail(hca.StatusLocalLength, hca.StatusRemoteInvalid)
		case r.total > 0 && !localAll(p.pd, q.cur.local, q.cur.more, hca.LocalWrite):
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
		dst, theirs, f := q.cur.at(p, p.pd, r.off, uint64(len(src)))
		n := 0
		if f == faultNone {
			var at uint64
			if n, at = tryPiece(dst, src, frail || theirs); at != 0 {
				if status := q.loopFault(p, at, src, wr.Op); status == hca.StatusLocalProtection {
					return status, true
				}
				f = faultPage
			}
		}
		if f != faultNone {
			q.curOn = false
			p.received(&q.cur, hca.OpRecv, hca.StatusLocalProtection, 0, 0, 0, false, af)
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
			q.curOn = false
			p.received(&q.cur, hca.OpRecv, hca.StatusLocalProtection, 0, 0, 0, false, af)
			return hca.StatusRemoteAccess, true
		}
	}
	return q.loopDeliver(p, r, op, af)
}

// loopDeliver completes the peer's receive.
func (q *qp) loopDeliver(p *qp, r *sendReq, op hca.Op, af *after) (hca.Status, bool) {
	if status, ok := q.needReceive(p); !ok || status != hca.StatusOK {
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
	q.curOn = false
	p.received(&q.cur, op, hca.StatusOK, r.total, imm, key, r.wr.Flags&hca.Solicited != 0, af)
	return hca.StatusOK, true
}

func (q *qp) loopAtomic(p *qp, wr *hca.SendWR) hca.Status {
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
		return q.loopFault(p, at, to, wr.Op)
	}
	return hca.StatusOK
}

// runBind binds or unbinds, and completes when nobody is left who may still
// use the key that this made bad. The failure of one may have to wait for the requests
// before it, and is asked for again then: it stays.
func (q *qp) runBind(r *sendReq) (hca.Status, bool) {
	if !r.begun {
		r.begun = true
		if r.former, r.status = q.bind(r.wr.Bind); r.status != hca.StatusOK {
			return r.status, true
		}
		all := q.pd.inside(r.turns[:0], r.former)
		r.turns = all[:0]
		for _, t := range all {
			if t.gate != &q.tx.word {
				r.turns = append(r.turns, t)
			}
		}
	}
	if r.status != hca.StatusOK {
		return r.status, true
	}
	for _, t := range r.turns {
		if !t.over() {
			q.a.engine.schedule(q)
			return 0, false
		}
	}
	if r.former != nil {
		r.wr.Bind.MW.(*mw).keep(r.former) // nobody has it in hand any more
		r.former = nil
	}
	return hca.StatusOK, true
}
