package soft

import (
	"github.com/godapl/godapl/internal/hca"
	"github.com/godapl/godapl/internal/iwarp"
)

// runSend does what there is to do on the sending half, or leaves word for whoever is at it.
func (c *tcpConn) runSend() {
	if !c.q.tx.enter() {
		return
	}
	var af after
	c.pump(&af)
	c.leave(&af)
}

// leave lets go of tx, doing first what others have left word for, and then
// what may only be done outside.
func (c *tcpConn) leave(af *after) {
	for c.q.tx.leave() {
		c.pump(af)
	}
	af.finish()
}

// pump starts and completes requests as far as a bounded amount of work goes.
// The caller is inside tx.
func (c *tcpConn) pump(af *after) {
	switch c.q.sendTurn() {
	case turnSend:
		c.pumpTx(af)
	case turnOver:
		c.flush(af)
	}
}

// pumpTx sends what there is to send and completes what is done. The caller is
// inside the queue pair's tx gate.
func (c *tcpConn) pumpTx(af *after) {
	q, o := c.q, &c.out
	c.collectReads()
	for budget := txTurn; ; {
		if len(o.list) > 0 && !c.flushOut(af) {
			break
		}
		q.retire(o.sent, af)
		if o.hold || q.state.Load() == stOver {
			break
		}
		if !c.talk.Load() {
			c.awaitFirst(af)
			break
		}
		if !c.anything() {
			break
		}
		if budget <= 0 {
			q.a.engine.schedule(q)
			break
		}
		c.makeGroup(af)
		if len(o.list) == 0 {
			o.finish()
			o.sent = o.made // what was made without octets: binds
			q.retire(o.sent, af)
			break
		}
		budget -= o.size
	}
	if q.state.Load() == stClosing && q.inboxed.Load() == 0 && q.sq.empty() && len(o.list) == 0 && c.mid.owed.Load() == 0 {
		q.markOver(hca.EventDisconnected, nil)
	}
	if q.state.Load() == stOver {
		c.flush(af)
	}
}

// anything reports whether there is something to lay out.
func (c *tcpConn) anything() bool {
	return c.q.sq.next != c.q.sq.tail || c.mid.owed.Load() > 0 || c.mid.hello.Load() || c.mid.greetRead
}

// collectReads marks the reads that the receiver has completed since it was
// last asked.
func (c *tcpConn) collectReads() {
	q, o := c.q, &c.out
	done := c.mid.readsDone.Load()
	if o.skip > 0 && o.seen != done {
		o.skip--
		o.seen++
		o.out--
	}
	for i := q.sq.head; o.seen != done && i != q.sq.next; i++ {
		if r := q.sq.at(i); r.begun && !r.done && answered(r.wr.Op) {
			r.done, r.status = true, hca.StatusOK
			o.seen++
			o.out--
		}
	}
}

// makeGroup lays FPDUs out. Messages are not interleaved; whole ones of
// responses and requests take turns.
func (c *tcpConn) makeGroup(af *after) {
	o := &c.out
	o.begin()
	if c.calm.Load() {
		c.calm.Store(false)
		o.limit = groupLeast
	} else {
		o.limit = min(2*o.limit, groupSize)
	}
	inRequest := func() bool { return c.q.sq.next != c.q.sq.tail && c.q.sq.at(c.q.sq.next).off > 0 }
	if c.mid.hello.Load() && !o.inResp && !inRequest() {
		c.mid.hello.Store(false)
		c.layWhole(iwarp.AppendTagged(o.buf, iwarp.TaggedHeader{Op: iwarp.OpWrite, Last: true, STag: greetSTag, TO: greetTO}, nil, c.crc))
	}
	if c.mid.greetRead {
		c.mid.greetRead = false
		c.greetByRead()
	}
	for c.room() {
		resp := c.mid.owed.Load() > 0
		within := inRequest()
		switch {
		case o.inResp, resp && !within && o.turn:
			o.turn = false
			if !c.layResponse(af) {
				return
			}
		default:
			o.turn = true
			if !c.layRequest(af) {
				if !resp || within {
					return
				}
				if !c.layResponse(af) {
					return
				}
			}
		}
		if c.q.state.Load() == stOver {
			return
		}
	}
}

// layWhole adds the FPDUs that were appended to buf.
func (c *tcpConn) layWhole(buf []byte) {
	o := &c.out
	start := len(o.buf)
	if c.markers {
		fpdu := buf[start:]
		marked := iwarp.AppendMarked(make([]byte, 0, len(fpdu)+16+len(fpdu)/100), o.offset+uint64(o.size), fpdu, c.crc)
		o.theirs(marked) // not in buf
		return
	}
	o.buf = buf
	o.own(start)
}

// layPieces adds the payload in o.pieces, n octets, behind a header that begins
// at start, and the trailer.
func (c *tcpConn) layPieces(start, n int) {
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
		o.theirs(iwarp.AppendMarked(nil, o.offset+uint64(o.size), fpdu, c.crc))
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
	o.own(start)
	for _, p := range o.pieces {
		o.theirs(p)
	}
	start = len(o.buf)
	o.buf = iwarp.AppendTrailer(o.buf, ulpdu, sum, c.crc)
	o.own(start)
}

// updateCRC is not inlined, so that the collector can stop the goroutine
// between the pieces of a long message.
//
//go:noinline
func updateCRC(sum uint32, p []byte) uint32 { return iwarp.UpdateCRC(sum, p) }

// gather finds n octets of a list of segments, off octets into it. The library's memory
// is left where it is. Other memory is copied: what comes later, the sum over the octets,
// a capture, the stream, would each have to expect a fault, and a frame of which a part is
// out cannot be taken back.
func (o *sender) gather(q *qp, wr *hca.SendWR, off, n uint64) bool {
	o.pieces = o.pieces[:0]
	before := o.copiedSoFar()
	for n > 0 {
		b, frail, f := scatter(q, q.pd, wr.Local, wr.More, off, n, hca.LocalRead)
		if f != faultNone {
			o.uncopy(before)
			return false
		}
		if frail {
			var at uint64
			if b, at = o.copied(b, true); at != 0 {
				q.faulted(at, wr.Op.String())
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

// layResponse lays one segment of the oldest response out.
func (c *tcpConn) layResponse(af *after) bool {
	o, m := &c.out, &c.mid
	r := &o.resp
	if !o.inResp {
		m.mu.Lock()
		*r = m.resps[0] // still counted, until it is paid
		m.mu.Unlock()
	}
	if r.atomic {
		c.layWhole(iwarp.AppendAtomicResponse(o.buf, o.answer, iwarp.AtomicResponse{ID: r.id, Original: r.value}, c.crc))
		o.answer++
		m.paid()
		return true
	}
	n := min(r.size-r.off, uint64(iwarp.TaggedPayload(int(c.mulpdu.Load()))))
	o.pieces = o.pieces[:0]
	if n > 0 {
		b, g, f := c.a.keys.check(c.q, r.source, r.from+r.off, n, hca.RemoteRead)
		if f == faultNone {
			// The program may write what a peer reads, at any time. What is sent must
			// be what was summed.
			copied, at := o.copied(b, g.frail)
			if at != 0 {
				c.q.faulted(at, "read of the peer's")
				f = faultPage
			}
			o.pieces = append(o.pieces, copied)
		}
		if f != faultNone {
			request := requestOf(r)
			c.a.engine.do(func() { c.abandon(readCause[f], request, "the memory of a read was withdrawn while it was sent") })
			o.hold = true
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
		m.paid()
	}
	return true
}

// paid removes the oldest response.
func (m *middle) paid() {
	m.mu.Lock()
	m.resps = m.resps[:copy(m.resps, m.resps[1:])]
	m.owed.Store(int32(len(m.resps)))
	m.mu.Unlock()
}

// greetByRead begins with a Read Request for nothing. It counts as a request
// of ours, though no program asked: its answer must not be taken for another's.
func (c *tcpConn) greetByRead() {
	o, m := &c.out, &c.mid
	msn := o.request
	o.request++
	m.mu.Lock()
	m.reads = append(m.reads, pending{op: hca.OpRead, stag: readSTag(msn), msn: msn})
	m.mu.Unlock()
	o.out++    // it counts like any other
	o.skip = 1 // readsDone will count it, and no request waits for it
	c.layWhole(iwarp.AppendReadRequest(o.buf, msn, iwarp.ReadRequest{SinkSTag: readSTag(msn), SourceSTag: greetSTag}, c.crc))
}
