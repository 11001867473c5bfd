package fakeibv

import "github.com/godapl/godapl/internal/hca/verbs/ibv"

// execute executes the first request of a queue pair. It returns false if the request must
// wait.
func (w *World) execute(q *qp, s *send) bool {
	switch {
	case q.state == ibv.QPError:
		q.sends--
		if !w.odd("flushed request does not come") {
			w.completed(q, ibv.WC{ID: s.wr.ID, Status: ibv.WCWRFlushErr})
		}
		return true
	case q.spoiled != 0:
		return w.fail(q, s, q.spoiled)
	case s.wr.Opcode == ibv.WRBindMW:
		return w.bind(q, s)
	case s.wr.Opcode == ibv.WRLocalInv:
		if !w.invalidate(q, s.wr.ImmOrKey) {
			return w.fail(q, s, ibv.WCMWBindErr)
		}
		return w.succeed(q, s, ibv.WCLocalInv, 0)
	}
	length, ok := w.gather(q, s)
	if !ok {
		return w.fail(q, s, ibv.WCLocProtErr)
	}
	p := q.peer
	switch {
	case p == nil, p.state == ibv.QPError:
		w.await(q, s, retryTime, ibv.WCRetryExcErr)
		return false
	case p.state != ibv.QPRTS:
		return false // it will be
	}
	switch s.wr.Opcode {
	case ibv.WRSend, ibv.WRSendWithImm, ibv.WRSendWithInv:
		return w.message(q, p, s, length)
	case ibv.WRRDMAWrite, ibv.WRRDMAWriteWithImm:
		return w.write(q, p, s, length)
	case ibv.WRRDMARead:
		return w.read(q, p, s, length)
	case ibv.WRAtomicCmpAndSwp, ibv.WRAtomicFetchAndAdd:
		return w.atomic(q, p, s)
	}
	return w.fail(q, s, ibv.WCLocQPOpErr)
}

// succeed completes a request.
func (w *World) succeed(q *qp, s *send, op ibv.WCOpcode, length int) bool {
	q.sends--
	q.calm()
	if s.wr.Flags&ibv.SendSignaled != 0 {
		w.completed(q, ibv.WC{ID: s.wr.ID, Opcode: op, ByteLen: uint32(length)})
	}
	return true
}

// fail completes a request with a failure, which ends the connection of this side.
func (w *World) fail(q *qp, s *send, status ibv.WCStatus) bool {
	q.sends--
	w.completed(q, ibv.WC{ID: s.wr.ID, Status: status, VendorErr: 1})
	w.toError(q)
	return true
}

// refuse fails a request that the peer refuses: the peer's queue pair fails, too.
func (w *World) refuse(q, p *qp, s *send, status ibv.WCStatus, ev ibv.EventType) bool {
	w.toError(p)
	if !w.odd("refusal without an event") {
		w.raise(p.pd.dev, p.raise, ibv.NewAsyncEvent(ev, uintptr(p.h), 0), &p.async)
	}
	return w.fail(q, s, status)
}

// gather reads the segments of a request into w.buf, unless the request fills them.
func (w *World) gather(q *qp, s *send) (length int, ok bool) {
	need := ibv.Access(0)
	fills := s.wr.Opcode == ibv.WRRDMARead || s.wr.Opcode == ibv.WRAtomicCmpAndSwp || s.wr.Opcode == ibv.WRAtomicFetchAndAdd
	if fills {
		need = ibv.AccessLocalWrite
	}
	w.buf = w.buf[:0]
	for _, g := range s.sges {
		if g.Length == 0 {
			continue
		}
		if !w.local(q.pd, g, need) {
			return 0, false
		}
		if length += int(g.Length); !fills {
			w.buf = append(w.buf, make([]byte, g.Length)...)
			load(w.buf[len(w.buf)-int(g.Length):], g.Addr)
		}
	}
	return length, true
}

// scatter places bytes into segments.
func (w *World) scatter(sges []ibv.SGE, from []byte) {
	for _, g := range sges {
		n := min(int(g.Length), len(from))
		store(g.Addr, from[:n])
		from = from[n:]
	}
}

// land takes a receive for a message of the peer. It returns false if the request that sends it
// is not done by now: it waits or has failed, as done says.
func (w *World) land(q, p *qp, s *send) (r recv, done, ok bool) {
	if r, ok = w.take(p); ok {
		return r, true, true
	}
	switch {
	case q.rnrTries == 0:
		return r, w.fail(q, s, ibv.WCRNRRetryExcErr), false
	case q.rnrTries < 7:
		w.await(q, s, rnrTime(p.rnrTimer)*6, ibv.WCRNRRetryExcErr)
	}
	return r, false, false
}

// message executes a send.
func (w *World) message(q, p *qp, s *send, length int) bool {
	r, done, ok := w.land(q, p, s)
	if !ok {
		return done
	}
	room := 0
	for _, g := range r.sges {
		if g.Length > 0 && !w.local(p.pd, g, ibv.AccessLocalWrite) && length > room {
			w.received(p, ibv.WC{ID: r.id, Status: ibv.WCLocProtErr}, true)
			return w.refuse(q, p, s, ibv.WCRemOpErr, ibv.EventQPFatal)
		}
		room += int(g.Length)
	}
	if length > room {
		w.received(p, ibv.WC{ID: r.id, Status: ibv.WCLocLenErr}, true)
		return w.refuse(q, p, s, ibv.WCRemInvReqErr, ibv.EventQPReqErr)
	}
	wc := ibv.WC{ID: r.id, Opcode: ibv.WCRecv, ByteLen: uint32(length), ImmOrKey: s.wr.ImmOrKey}
	switch s.wr.Opcode {
	case ibv.WRSendWithImm:
		wc.Flags = ibv.WCWithImm
	case ibv.WRSendWithInv:
		if wc.Flags = ibv.WCWithInv; !w.invalidate(p, s.wr.ImmOrKey) {
			w.received(p, ibv.WC{ID: r.id, Status: ibv.WCWRFlushErr}, true)
			return w.refuse(q, p, s, ibv.WCRemAccessErr, ibv.EventQPAccessErr)
		}
	}
	w.scatter(r.sges, w.buf)
	w.received(p, wc, s.wr.Flags&ibv.SendSolicited != 0)
	return w.succeed(q, s, ibv.WCSend, length)
}
