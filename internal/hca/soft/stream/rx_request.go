package stream

import (
	"fmt"

	"github.com/godapl/godapl/internal/hca"
	"github.com/godapl/godapl/internal/hca/soft/core"
	"github.com/godapl/godapl/internal/hca/soft/rawmem"
	"github.com/godapl/godapl/internal/iwarp"
)

// full refuses a request if the peer has more requests under way than agreed, or if this side takes none: it has agreed to
// one then, because some peers break otherwise.
func (c *Conn) full(ulpdu []byte, deferred *core.Deferred) bool {
	most := c.ird
	if c.q.Config.ReadsIn == 0 {
		most = 0
	}
	if int(c.shared.respCount.Load()) < most {
		return false
	}
	c.refuse(iwarp.CauseUntaggedNoBuffer, ulpdu, fmt.Sprintf("the peer has more than the agreed %d reads under way", most), deferred)
	return true
}

// queueResponse queues a response, for which there is room.
func (c *Conn) queueResponse(r response) core.Outcome {
	m := &c.shared
	m.mu.Lock()
	m.resps = append(m.resps, r)
	m.respCount.Store(int32(len(m.resps)))
	m.mu.Unlock()
	c.in.request++
	c.in.wakeSend = true
	return core.Handled
}

// readRequest checks a Read Request's source; the send half reads the bytes.
func (c *Conn) readRequest(s *iwarp.Segment, ulpdu []byte, deferred *core.Deferred) core.Outcome {
	if s.MSN != c.in.request {
		return c.refuse(iwarp.CauseUntaggedMSN, ulpdu, fmt.Sprintf("request %d came where %d was due", s.MSN, c.in.request), deferred)
	}
	if c.full(ulpdu, deferred) {
		return core.Failed
	}
	var r iwarp.ReadRequest
	if err := iwarp.ParseReadRequest(s.Payload, &r); err != nil {
		c.malformed(err, ulpdu, deferred)
		return core.Failed
	}
	if _, _, f := c.a.Keys.Check(c.q, hca.Key(r.SourceSTag), uint64(r.SourceTO), uint64(r.Size), hca.RemoteRead); f != core.FaultNone {
		return c.refuseOp(hca.OpRead, hca.StatusRemoteAccess, readCause[f], ulpdu, "the peer may not read there", deferred)
	}
	return c.queueResponse(response{
		request: s.MSN, sink: r.SinkSTag, sinkTO: r.SinkTO, source: hca.Key(r.SourceSTag), from: uint64(r.SourceTO), size: uint64(r.Size),
	})
}

// atomicRequest carries out the operation, in the order of the stream.
func (c *Conn) atomicRequest(s *iwarp.Segment, ulpdu []byte, deferred *core.Deferred) core.Outcome {
	if s.MSN != c.in.request {
		return c.refuse(iwarp.CauseUntaggedMSN, ulpdu, fmt.Sprintf("request %d came where %d was due", s.MSN, c.in.request), deferred)
	}
	if c.full(ulpdu, deferred) {
		return core.Failed
	}
	op := hca.OpFetchAdd
	if iwarp.AtomicOpOf(s.Payload) == iwarp.AtomicCompareSwap {
		op = hca.OpCompareSwap
	}
	const notAligned = "an atomic operation needs an address that is a multiple of 8"
	var r iwarp.AtomicRequest
	switch err := iwarp.ParseAtomicRequest(s.Payload, &r); err {
	case nil:
	case iwarp.ErrAtomicAlign:
		return c.refuseOp(op, hca.StatusRemoteInvalid, iwarp.CauseOpStream, ulpdu, notAligned, deferred)
	default:
		c.malformed(err, ulpdu, deferred)
		return core.Failed
	}
	b, g, f := c.a.Keys.Check(c.q, hca.Key(r.STag), uint64(r.TO), 8, hca.RemoteAtomic)
	if f != core.FaultNone {
		return c.refuseOp(op, hca.StatusRemoteAccess, readCause[f], ulpdu, "the peer may not do atomic operations there", deferred)
	}
	if rawmem.AddrOf(b)%8 != 0 {
		return c.refuseOp(op, hca.StatusRemoteInvalid, iwarp.CauseOpStream, ulpdu, notAligned, deferred)
	}
	value, at := rawmem.TryApply(b, r.Apply, g.Frail)
	if at != 0 {
		c.q.Faulted(at, "atomic of the peer's")
		return c.refuseOp(op, hca.StatusRemoteAccess, readCause[core.FaultPage], ulpdu, "the page does not allow what the peer may change", deferred)
	}
	return c.queueResponse(response{atomic: true, id: r.ID, value: value})
}

// oldest returns the read or atomic to which the next response belongs. It leaves the queue when the first
// segment of its response arrives; nil if there is none.
func (c *Conn) oldest() *pending {
	in, m := &c.in, &c.shared
	if in.reading {
		return &in.read
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	n := len(m.reads)
	if n == 0 {
		return nil
	}
	spare := in.read.more
	in.read = m.reads[0]
	copy(m.reads, m.reads[1:])
	m.reads[n-1] = pending{more: spare[:0]} // the next one reuses its memory
	m.reads = m.reads[:n-1]
	in.reading = true
	return &in.read
}

// answered ends the current read or atomic.
func (c *Conn) answered() {
	c.in.reading = false
	c.shared.readsDone.Add(1)
	c.in.wakeSend = true
}

// placeResponse copies a Read Response's bytes into the read's memory. The local record of the read decides
// where, never the peer's header alone.
func (c *Conn) placeResponse(s *iwarp.Segment, ulpdu []byte, deferred *core.Deferred) core.Outcome {
	in := &c.in
	p := c.oldest()
	switch {
	case p == nil:
		return c.refuse(iwarp.CauseOpUnexpected, ulpdu, "a read response came and no read is under way", deferred)
	case p.op != hca.OpRead:
		return c.badAnswer(iwarp.CauseOpUnexpected, ulpdu, "a read response came for an atomic operation", deferred)
	}
	switch n := uint64(len(s.Payload)); {
	case s.STag != p.stag:
		return c.badAnswer(iwarp.CauseTaggedSTag, ulpdu, "a read response is for another read", deferred)
	case uint64(s.TO) != p.off, n > p.total-p.off, s.Last != (p.off+n == p.total):
		return c.badAnswer(iwarp.CauseTaggedBounds, ulpdu, "a read response has not the length that was asked for", deferred)
	}
	core.RunStepHook(c.q, "place answer")
	if !c.q.Scatter(p.local, p.more, p.off, s.Payload, p.op) {
		c.fault.set(p.msn, hca.StatusLocalProtection)
		return c.refuse(iwarp.CauseRDMAPLocal, ulpdu, "the memory of a read is not usable any more", deferred)
	}
	p.off += uint64(len(s.Payload))
	in.tagged, in.taggedOp = !s.Last, s.Op
	if s.Last {
		c.answered()
	}
	return core.Handled
}

func (c *Conn) badAnswer(cause iwarp.Cause, ulpdu []byte, why string, deferred *core.Deferred) core.Outcome {
	c.fault.set(c.in.read.msn, hca.StatusBadResponse)
	return c.refuse(cause, ulpdu, why, deferred)
}

func (c *Conn) atomicResponse(s *iwarp.Segment, ulpdu []byte, deferred *core.Deferred) core.Outcome {
	in := &c.in
	if s.MSN != in.answer {
		return c.refuse(iwarp.CauseUntaggedMSN, ulpdu, fmt.Sprintf("answer %d came where %d was due", s.MSN, in.answer), deferred)
	}
	var r iwarp.AtomicResponse
	if err := iwarp.ParseAtomicResponse(s.Payload, &r); err != nil {
		c.malformed(err, ulpdu, deferred)
		return core.Failed
	}
	p := c.oldest()
	switch {
	case p == nil:
		return c.refuse(iwarp.CauseOpUnexpected, ulpdu, "an atomic response came and nothing is under way", deferred)
	case p.op == hca.OpRead || iwarp.STag(r.ID) != p.stag:
		return c.badAnswer(iwarp.CauseOpUnexpected, ulpdu, "an atomic response came for no request", deferred)
	}
	dst, frail, f := core.SegmentAt(c.q, c.q.PD, p.local, p.more, 0, 8, hca.LocalWrite)
	if f == core.FaultNone && len(dst) == 8 {
		core.RunStepHook(c.q, "place answer")
		if lost := rawmem.TryPut(dst, r.Original, frail); lost != 0 {
			c.q.Faulted(lost, p.op.String())
			f = core.FaultPage
		}
	}
	if f != core.FaultNone || len(dst) != 8 {
		c.fault.set(c.in.read.msn, hca.StatusLocalProtection)
		return c.refuse(iwarp.CauseRDMAPLocal, ulpdu, "the memory of an atomic operation is not usable any more", deferred)
	}
	in.answer++
	c.answered()
	return core.Handled
}
