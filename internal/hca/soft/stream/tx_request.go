package stream

import (
	"github.com/godapl/godapl/internal/hca"
	"github.com/godapl/godapl/internal/hca/ops"
	"github.com/godapl/godapl/internal/hca/soft/core"
	"github.com/godapl/godapl/internal/iwarp"
)

// layRequest lays out the next segment of the oldest request that the transport does not have completely. It
// returns false if there is none, or if it must wait.
func (c *Conn) layRequest(deferred *core.Deferred) bool {
	q, o := c.q, &c.out
	if q.SQ.Next == q.SQ.Tail {
		return false
	}
	r := q.SQ.At(q.SQ.Next)
	wr := &r.WR
	if r.Off == 0 && !r.Begun {
		if wr.Flags&hca.Fence != 0 && o.out > 0 {
			return false
		}
		if ok := c.mayStart(r, deferred); !ok {
			return false
		}
	}
	switch wr.Op {
	case hca.OpWrite, hca.OpWriteImm:
		return c.layWrite(r, deferred)
	case hca.OpSend, hca.OpSendInvalidate:
		return c.laySend(r, deferred)
	case hca.OpRead:
		c.recordRead(r)
		start := o.request - 1
		c.layWhole(iwarp.AppendReadRequest(o.buf, start, iwarp.ReadRequest{
			SinkSTag: readSTag(start), Size: uint32(r.Total), SourceSTag: iwarp.STag(wr.RKey), SourceTO: iwarp.TO(wr.Remote),
		}, c.crc))
		c.countMade()
		return true
	case hca.OpFetchAdd, hca.OpCompareSwap:
		c.recordRead(r)
		msn := o.request - 1
		req := iwarp.AtomicRequest{Op: iwarp.AtomicFetchAdd, ID: uint32(readSTag(msn)), STag: iwarp.STag(wr.RKey), TO: iwarp.TO(wr.Remote), Operand: wr.Operand}
		if wr.Op == hca.OpCompareSwap {
			req.Op, req.Compare, req.Mask, req.CompareMask = iwarp.AtomicCompareSwap, wr.Compare, ^uint64(0), ^uint64(0)
		}
		c.layWhole(iwarp.AppendAtomicRequest(o.buf, msn, &req, c.crc))
		c.countMade()
		return true
	}
	status, ok := q.RunBind(r)
	if !ok {
		return false
	}
	if status != hca.StatusOK {
		c.refuseOwn(r, status, deferred)
		return false
	}
	r.Done, r.Status = true, status
	c.countMade()
	return true
}

// countMade counts a request that is wholly in the group, and notes where in the stream it ends.
func (c *Conn) countMade() {
	s, o := &c.q.SQ, &c.out
	s.At(s.Next).Frame = o.offset + uint64(o.size)
	s.Next++
	o.made = s.Next
}

// countTaken counts the requests of a group of which the transport has a part.
func (c *Conn) countTaken() {
	s, o := &c.q.SQ, &c.out
	for o.sent = max(o.sent, s.Head); o.sent < o.made && s.At(o.sent).Frame <= o.offset; o.sent++ {
	}
}

// readSTag is the STag of a read's sink. It names the request, not memory: the response goes to the place that
// the request's own record gives.
func readSTag(msn iwarp.MSN) iwarp.STag { return iwarp.STag(msn) | 1<<31 }

// mayStart checks the next request before it starts.
func (c *Conn) mayStart(r *core.SendReq, deferred *core.Deferred) bool {
	o, wr := &c.out, &r.WR
	if wr.Op == hca.OpBind {
		return true
	}
	if extended(wr.Op) {
		switch c.peer.Load() {
		case peerUnknown:
			c.awaitIdentity(r, deferred) // the peer's first FPDU identifies it
			return false
		case peerOther:
			c.refuseOwn(r, hca.StatusRemoteInvalid, deferred)
			return false
		}
	}
	if ops.HasResponse(wr.Op) {
		if c.ord == 0 {
			c.refuseOwn(r, hca.StatusLocalQP, deferred)
			return false
		}
		if o.out >= c.ord {
			return false
		}
	}
	if !core.LocalAll(c.q.PD, wr.Local, wr.More, ops.Of(wr.Op).Local) {
		c.refuseOwn(r, hca.StatusLocalProtection, deferred)
		return false
	}
	return true
}

// refuseOwn fails a request of this side, and with it the connection, once all earlier requests are sent and
// the peer has answered those that expect a response. In the middle of a message no response of this side can
// be sent. So it waits there only while the peer waits for none: two sides that wait for each other would wait
// for ever.
func (c *Conn) refuseOwn(r *core.SendReq, status hca.Status, deferred *core.Deferred) {
	if c.out.out > 0 && (r.Off == 0 || c.shared.respCount.Load() == 0) {
		return // the responses, and the peer's next request, run this half again
	}
	c.refuseFor(r, status, "", deferred)
}

// refuseFor is refuseOwn for a peer that may not answer.
func (c *Conn) refuseFor(r *core.SendReq, status hca.Status, why string, deferred *core.Deferred) {
	if len(c.out.list) > 0 {
		return // it is called again after the group
	}
	r.Done, r.Status = true, status
	err := core.WorkError(r.WR.Op, status)
	err.Detail = why
	c.q.BreakNow(err)
	c.a.Engine.Do(c.finishRx)
}

// recordRead records a read or atomic, so that its response finds its place.
func (c *Conn) recordRead(r *core.SendReq) {
	o, m := &c.out, &c.shared
	msn := o.request
	o.request++
	o.out++
	r.Begun = true
	m.mu.Lock()
	if n := len(m.reads); n < cap(m.reads) {
		m.reads = m.reads[:n+1]
	} else {
		m.reads = append(m.reads, pending{})
	}
	p := &m.reads[len(m.reads)-1]
	p.op, p.local, p.total, p.off, p.stag, p.msn = r.WR.Op, r.WR.Local, r.Total, 0, readSTag(msn), msn
	p.more = append(p.more[:0], r.WR.More...)
	m.mu.Unlock()
}

func (c *Conn) layWrite(r *core.SendReq, deferred *core.Deferred) bool {
	q, o, wr := c.q, &c.out, &r.WR
	if r.Begun && r.Off == r.Total { // the data is sent, the immediate data is not
		return c.layImmediate(r)
	}
	n := min(r.Total-r.Off, uint64(iwarp.TaggedPayload(int(c.mulpdu.Load()))))
	if !o.gather(q, wr, r.Off, n) {
		c.refuseOwn(r, hca.StatusLocalProtection, deferred)
		return false
	}
	last := r.Off+n == r.Total
	start := len(o.buf)
	o.buf = iwarp.AppendTaggedHeader(o.buf, iwarp.TaggedHeader{Op: iwarp.OpWrite, Last: last, STag: iwarp.STag(wr.RKey), TO: iwarp.TO(wr.Remote + r.Off)}, int(n))
	c.layPieces(start, int(n))
	r.Off += n
	r.Begun = true
	if last && wr.Op == hca.OpWrite {
		c.countMade()
	}
	return true
}

func (c *Conn) layImmediate(r *core.SendReq) bool {
	o := &c.out
	c.layWhole(iwarp.AppendImmediate(o.buf, o.msn, uint64(r.WR.Imm), r.WR.Flags&hca.Solicited != 0, c.crc))
	o.msn++
	c.countMade()
	return true
}

func (c *Conn) laySend(r *core.SendReq, deferred *core.Deferred) bool {
	q, o, wr := c.q, &c.out, &r.WR
	n := min(r.Total-r.Off, uint64(iwarp.UntaggedPayload(int(c.mulpdu.Load()))))
	if !o.gather(q, wr, r.Off, n) {
		c.refuseOwn(r, hca.StatusLocalProtection, deferred)
		return false
	}
	h := iwarp.UntaggedHeader{Op: iwarp.OpSend, Last: r.Off+n == r.Total, QN: iwarp.QueueSend, MSN: o.msn, MO: iwarp.MO(r.Off)}
	solicited := wr.Flags&hca.Solicited != 0
	switch {
	case wr.Op == hca.OpSendInvalidate && solicited:
		h.Op, h.InvSTag = iwarp.OpSendSEInv, iwarp.STag(wr.RKey)
	case wr.Op == hca.OpSendInvalidate:
		h.Op, h.InvSTag = iwarp.OpSendInv, iwarp.STag(wr.RKey)
	case solicited:
		h.Op = iwarp.OpSendSE
	}
	start := len(o.buf)
	o.buf = iwarp.AppendUntaggedHeader(o.buf, h, int(n))
	c.layPieces(start, int(n))
	r.Off += n
	r.Begun = true
	if h.Last {
		o.msn++
		c.countMade()
	}
	return true
}
