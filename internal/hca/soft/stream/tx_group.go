package stream

import (
	"github.com/godapl/godapl/internal/hca"
	"github.com/godapl/godapl/internal/hca/ops"
	"github.com/godapl/godapl/internal/hca/soft/core"
	"github.com/godapl/godapl/internal/iwarp"
)

// Pump implements sendhalf.Path.
func (c *Conn) Pump(deferred *core.Deferred) {
	q, o := c.q, &c.out
	c.collectReads()
	for budget := txRunBytes; ; {
		taken := len(o.list) == 0 || c.flushOut(deferred)
		q.Retire(o.sent, deferred)
		if !taken {
			break
		}
		if o.closed || q.State.Load() == core.StateOver {
			break
		}
		if !c.maySend.Load() {
			c.awaitFirst(deferred)
			break
		}
		if !c.hasWork() {
			break
		}
		if budget <= 0 {
			q.Adapter.Engine.Schedule(q)
			break
		}
		c.makeGroup(deferred)
		if len(o.list) == 0 {
			o.finish()
			o.sent = o.made // the requests without bytes: binds
			q.Retire(o.sent, deferred)
			break
		}
		budget -= o.size
	}
	if q.State.Load() == core.StateClosing && q.Inboxed.Load() == 0 && q.SQ.Empty() && len(o.list) == 0 && c.shared.respCount.Load() == 0 {
		c.inOrder, _ = q.MarkOver(hca.EventDisconnected, nil)
	}
	if q.State.Load() == core.StateOver {
		c.Flush(deferred)
	}
}

// hasWork reports whether there is something to lay out.
func (c *Conn) hasWork() bool {
	return c.q.SQ.Next != c.q.SQ.Tail || c.shared.respCount.Load() > 0 || c.shared.hello.Load() || c.shared.greetRead
}

// collectReads marks the reads that the receive half has completed since the last call.
func (c *Conn) collectReads() {
	q, o := c.q, &c.out
	done := c.shared.readsDone.Load()
	if o.skip > 0 && o.seen != done {
		o.skip--
		o.seen++
		o.out--
	}
	for i := q.SQ.Head; o.seen != done && i != q.SQ.Next; i++ {
		if r := q.SQ.At(i); r.Begun && !r.Done && ops.HasResponse(r.WR.Op) {
			r.Done, r.Status = true, hca.StatusOK
			o.seen++
			o.out--
		}
	}
}

// inRequest reports whether the next request is partly laid out.
func (c *Conn) inRequest() bool { return c.q.SQ.Next != c.q.SQ.Tail && c.q.SQ.At(c.q.SQ.Next).Off > 0 }

// makeGroup lays out FPDUs. Messages are not interleaved; whole responses and whole requests alternate.
func (c *Conn) makeGroup(deferred *core.Deferred) {
	o := &c.out
	o.begin()
	if c.txIdle.Load() {
		c.txIdle.Store(false)
		o.limit = groupLeast
	} else {
		o.limit = min(2*o.limit, groupSize)
	}
	if c.shared.hello.Load() && !o.inResp && !c.inRequest() {
		c.shared.hello.Store(false)
		c.layWhole(iwarp.AppendTagged(o.buf, iwarp.TaggedHeader{Op: iwarp.OpWrite, Last: true, STag: greetSTag, TO: greetTO}, nil, c.crc))
	}
	if c.shared.greetRead {
		c.shared.greetRead = false
		c.greetByRead()
	}
	for c.room() {
		resp := c.shared.respCount.Load() > 0
		within := c.inRequest()
		switch {
		case o.inResp, resp && !within && o.requestNext:
			o.requestNext = false
			if !c.layResponse(deferred) {
				return
			}
		default:
			o.requestNext = true
			if !c.layRequest(deferred) {
				if !resp || within {
					return
				}
				if !c.layResponse(deferred) {
					return
				}
			}
		}
		if c.q.State.Load() == core.StateOver {
			return
		}
	}
}

// layWhole adds the FPDUs that were appended to buf.
func (c *Conn) layWhole(buf []byte) {
	o := &c.out
	start := len(o.buf)
	if c.markers {
		fpdu := buf[start:]
		marked := iwarp.AppendMarked(make([]byte, 0, len(fpdu)+16+len(fpdu)/100), o.offset+uint64(o.size), fpdu, c.crc)
		o.appendPayload(marked) // not in buf
		return
	}
	o.buf = buf
	o.appendHeader(start)
}

// layPieces adds the payload in o.pieces, n bytes, between a header that begins at start and the trailer.
func (c *Conn) layPieces(start, n int) {
	o := &c.out
	if n <= smallMax {
		for _, p := range o.pieces {
			o.buf = append(o.buf, p...)
		}
		buf := iwarp.FinishFPDU(o.buf, start, c.crc)
		o.buf = o.buf[:start]
		c.layWhole(buf)
		return
	}
	if c.markers {
		fpdu := append(make([]byte, 0, len(o.buf)-start+n+8), o.buf[start:]...)
		for _, p := range o.pieces {
			fpdu = append(fpdu, p...)
		}
		fpdu = iwarp.FinishFPDU(fpdu, 0, c.crc)
		o.buf = o.buf[:start]
		o.appendPayload(iwarp.AppendMarked(nil, o.offset+uint64(o.size), fpdu, c.crc))
		return
	}
	ulpdu := len(o.buf) - start - iwarp.LengthSize + n
	var sum uint32
	if c.crc {
		sum = iwarp.CRC(o.buf[start:])
		for _, p := range o.pieces {
			sum = updateCRC(sum, p)
		}
	}
	o.appendHeader(start)
	for _, p := range o.pieces {
		o.appendPayload(p)
	}
	start = len(o.buf)
	o.buf = iwarp.AppendTrailer(o.buf, ulpdu, sum, c.crc)
	o.appendHeader(start)
}

// updateCRC is not inlined, so that the garbage collector can preempt the goroutine between the pieces of a
// long message.
//
//go:noinline
func updateCRC(sum uint32, p []byte) uint32 { return iwarp.UpdateCRC(sum, p) }

// gather finds n bytes of a list of segments, from offset off on. The library's memory is used in place. Other
// memory is copied: the checksum, a capture and the stream would each have to expect a page fault, and a frame
// of which a part is sent cannot be taken back.
func (o *sender) gather(q *core.QP, wr *hca.SendWR, off, n uint64) bool {
	o.pieces = o.pieces[:0]
	before := o.copiedSoFar()
	for n > 0 {
		b, frail, f := core.SegmentAt(q, q.PD, wr.Local, wr.More, off, n, hca.LocalRead)
		if f != core.FaultNone {
			o.uncopy(before)
			return false
		}
		if frail {
			var at uint64
			if b, at = o.copied(b, true); at != 0 {
				q.Faulted(at, wr.Op.String())
				o.uncopy(before)
				return false
			}
		}
		o.pieces = append(o.pieces, b)
		off += uint64(len(b))
		n -= uint64(len(b))
	}
	return true
}

// layResponse lays out one segment of the oldest response.
func (c *Conn) layResponse(deferred *core.Deferred) bool {
	o, m := &c.out, &c.shared
	r := &o.resp
	if !o.inResp {
		m.mu.Lock()
		*r = m.resps[0] // it stays counted until popResp is called
		m.mu.Unlock()
	}
	if r.atomic {
		c.layWhole(iwarp.AppendAtomicResponse(o.buf, o.answer, iwarp.AtomicResponse{ID: r.id, Original: r.value}, c.crc))
		o.answer++
		m.popResp()
		return true
	}
	n := min(r.size-r.off, uint64(iwarp.TaggedPayload(int(c.mulpdu.Load()))))
	o.pieces = o.pieces[:0]
	if n > 0 {
		b, g, f := c.a.Keys.Check(c.q, r.source, r.from+r.off, n, hca.RemoteRead)
		if f == core.FaultNone {
			// The program may write to memory at any time while a peer reads it. The bytes sent must be the
			// bytes summed.
			copied, at := o.copied(b, g.Frail)
			if at != 0 {
				c.q.Faulted(at, "read of the peer's")
				f = core.FaultPage
			}
			o.pieces = append(o.pieces, copied)
		}
		if f != core.FaultNone {
			request := requestOf(r)
			c.a.Engine.Do(func() { c.refuseRead(readCause[f], request) })
			o.closed = true
			return false
		}
	}
	last := r.off+n == r.size
	start := len(o.buf)
	o.buf = iwarp.AppendTaggedHeader(o.buf, iwarp.TaggedHeader{Op: iwarp.OpReadResponse, Last: last, STag: r.sink, TO: r.sinkTO + iwarp.TO(r.off)}, int(n))
	c.layPieces(start, int(n))
	r.off += n
	o.inResp = !last
	if last {
		m.popResp()
	}
	return true
}

// popResp removes the oldest response.
func (m *sharedState) popResp() {
	m.mu.Lock()
	m.resps = m.resps[:copy(m.resps, m.resps[1:])]
	m.respCount.Store(int32(len(m.resps)))
	m.mu.Unlock()
}

// greetByRead begins the connection with a Read Request of length zero. It counts as a request of this side
// although no program posted it: its response must not be taken for another's.
func (c *Conn) greetByRead() {
	o, m := &c.out, &c.shared
	msn := o.request
	o.request++
	m.mu.Lock()
	m.reads = append(m.reads, pending{op: hca.OpRead, stag: readSTag(msn), msn: msn})
	m.mu.Unlock()
	o.out++    // it counts like any other request
	o.skip = 1 // readsDone will count it, and no request waits for it
	c.layWhole(iwarp.AppendReadRequest(o.buf, msn, iwarp.ReadRequest{SinkSTag: readSTag(msn), SourceSTag: greetSTag}, c.crc))
}
