package fakeibv

import "github.com/godapl/godapl/internal/hca/verbs/ibv"

func (w *World) write(q, p *qp, s *send, length int) bool {
	addr, key := s.wr.RDMA()
	if length > 0 && !w.remote(p, key, addr, uint64(length), ibv.AccessRemoteWrite) {
		return w.refuse(q, p, s, ibv.WCRemAccessErr, ibv.EventQPAccessErr)
	}
	if s.wr.Opcode == ibv.WRRDMAWriteWithImm {
		r, done, ok := w.land(q, p, s)
		if !ok {
			return done
		}
		w.received(p, ibv.WC{
			ID: r.id, Opcode: ibv.WCRecvRDMAWithImm, Flags: ibv.WCWithImm, ByteLen: uint32(length), ImmOrKey: s.wr.ImmOrKey,
		}, s.wr.Flags&ibv.SendSolicited != 0)
	}
	store(addr, w.buf)
	return w.succeed(q, s, ibv.WCRDMAWrite, length)
}

func (w *World) read(q, p *qp, s *send, length int) bool {
	addr, key := s.wr.RDMA()
	if length > 0 {
		if !w.remote(p, key, addr, uint64(length), ibv.AccessRemoteRead) {
			return w.refuse(q, p, s, ibv.WCRemAccessErr, ibv.EventQPAccessErr)
		}
		w.buf = append(w.buf[:0], make([]byte, length)...)
		load(w.buf, addr)
		w.scatter(s.sges, w.buf)
	}
	return w.succeed(q, s, ibv.WCRDMARead, length)
}

func (w *World) atomic(q, p *qp, s *send) bool {
	addr, key, operand, swap := s.wr.Atomic()
	switch {
	case addr%8 != 0:
		return w.refuse(q, p, s, ibv.WCRemInvReqErr, ibv.EventQPReqErr)
	case !w.remote(p, key, addr, 8, ibv.AccessRemoteAtomic):
		return w.refuse(q, p, s, ibv.WCRemAccessErr, ibv.EventQPAccessErr)
	}
	var old uint64
	op := ibv.WCFetchAdd
	if s.wr.Opcode == ibv.WRAtomicCmpAndSwp {
		op = ibv.WCCompSwap
		old = compareSwap(addr, operand, swap)
	} else {
		old = fetchAdd(addr, operand)
	}
	w.scatter(s.sges, word(old))
	return w.succeed(q, s, op, 8)
}

// bind executes the bind of a window.
func (w *World) bind(q *qp, s *send) bool {
	h, key, info := s.wr.Bind()
	m := s.window
	if m == nil || m.h != h || m.pd != q.pd || key>>8 != m.key>>8 {
		return w.fail(q, s, ibv.WCMWBindErr)
	}
	r, _ := w.live[uintptr(info.MR)].(*mr)
	zero := info.Length == 0
	switch {
	case zero && m.kind == ibv.MWType1: // it is unbound
	case m.kind == ibv.MWType2 && m.mr != nil:
		return w.fail(q, s, ibv.WCMWBindErr) // it is bound
	case r == nil, r.pd != q.pd, r.access&ibv.AccessMWBind == 0, !inside(info.Addr, info.Length, r.addr, r.end),
		info.Access&(ibv.AccessRemoteWrite|ibv.AccessRemoteAtomic) != 0 && r.access&ibv.AccessLocalWrite == 0:
		return w.fail(q, s, ibv.WCMWBindErr)
	}
	m.unbind()
	delete(w.keys, m.key)
	m.key = key
	w.keys[key] = m
	if !zero {
		m.mr, m.addr, m.end, m.access = r, info.Addr, info.Addr+info.Length, info.Access
		r.windows++
		if m.kind == ibv.MWType2 {
			m.qp = q
			q.windows++
		}
	}
	return w.succeed(q, s, ibv.WCBindMW, 0)
}

// invalidate unbinds a window of type 2 that was bound through q.
func (w *World) invalidate(q *qp, key uint32) bool {
	m, ok := w.keys[key].(*mw)
	if !ok || m.kind != ibv.MWType2 || m.qp != q {
		return false
	}
	m.unbind()
	return true
}
