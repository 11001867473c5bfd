package fakeibv

import (
	"time"

	"github.com/godapl/godapl/internal/hca/verbs/ibv"
)

// send is a posted request.
type send struct {
	wr     ibv.SendWR
	sges   []ibv.SGE
	window *mw // that it binds
}

func (w *World) postSend(a args) (uintptr, ibv.Errno) {
	q := object[qp](w, a[0], "ibv_post_send")
	if q == nil {
		return num(ibv.EINVAL)
	}
	for at := a[1]; at != 0; {
		wr := ibv.View[ibv.SendWR](at, 1)[0]
		s := &send{wr: wr, sges: readSGEs(wr.SGList, wr.NumSGE)}
		e := ibv.Errno(0)
		switch {
		case q.state != ibv.QPRTS && q.state != ibv.QPError, wr.NumSGE > int32(q.cap.MaxSendSGE):
			e = ibv.EINVAL
		case q.sends >= int(q.cap.MaxSendWR):
			e = ibv.ENOMEM
		case wr.Opcode == ibv.WRBindMW:
			h, _, _ := wr.Bind()
			s.window = object[mw](w, uintptr(h), "ibv_post_send")
		}
		if e != 0 {
			ibv.View[uintptr](a[2], 1)[0] = at
			return num(e)
		}
		w.queue(q, s)
		at = wr.Next
	}
	return 0, 0
}

func (w *World) queue(q *qp, s *send) {
	q.sends++
	w.push(q.sq, func() bool { return w.execute(q, s) })
}

// bindMW posts the bind of a window of type 1, which has its new key at once.
func (w *World) bindMW(a args) (uintptr, ibv.Errno) {
	q, m := object[qp](w, a[0], "ibv_bind_mw"), object[mw](w, a[1], "ibv_bind_mw")
	b := &ibv.View[ibv.MWBind](a[2], 1)[0]
	switch {
	case q == nil, m == nil, m.kind != ibv.MWType1, q.state != ibv.QPRTS && q.state != ibv.QPError:
		return num(ibv.EINVAL)
	case q.sends >= int(q.cap.MaxSendWR):
		return num(ibv.ENOMEM)
	}
	key := ibv.IncRKey(m.h.RKey())
	m.h.SetRKey(key)
	s := &send{wr: ibv.SendWR{ID: b.ID, Opcode: ibv.WRBindMW, Flags: b.Flags}, window: m}
	s.wr.SetBindMW(m.h, key, b.Info)
	w.queue(q, s)
	return 0, 0
}

func (w *World) postRecv(a args) (uintptr, ibv.Errno) {
	q := object[qp](w, a[0], "ibv_post_recv")
	if q == nil {
		return num(ibv.EINVAL)
	}
	for at := a[1]; at != 0; {
		r, next := readRecv(at)
		if q.srq != nil || len(q.recvs) >= int(q.cap.MaxRecvWR) || len(r.sges) > int(q.cap.MaxRecvSGE) {
			ibv.View[uintptr](a[2], 1)[0] = at
			return num(ibv.ENOMEM)
		}
		q.recvs = append(q.recvs, r)
		if q.state == ibv.QPError {
			w.flushRecv(q)
		}
		at = next
	}
	w.freePeer(q)
	return 0, 0
}

// take takes the next receive for a message.
func (w *World) take(q *qp) (r recv, ok bool) {
	from := &q.recvs
	if q.srq != nil {
		from = &q.srq.recvs
	}
	if len(*from) == 0 {
		return r, false
	}
	r = (*from)[0]
	*from = (*from)[1:]
	if q.srq != nil {
		w.taken(q.srq)
	}
	return r, true
}

// await lets the first request wait for the peer, at most for d (0: without end), and then
// fail.
func (w *World) await(q *qp, s *send, d time.Duration, status ibv.WCStatus) {
	if q.waiting != nil || d == 0 {
		return
	}
	q.waiting = w.after(d, func() {
		q.waiting = nil
		if q.state == ibv.QPRTS {
			s.wr.Opcode, q.sq.steps[0] = expired, func() bool { w.fail(q, s, status); return true }
			w.free(q.sq)
		}
	})
}

// expired is the opcode of a request that has failed and is about to say so.
const expired = ^ibv.WROpcode(0)

// rnrTime is the time that a code of the RNR timer stands for (IBTA 9.7.5.2.8).
func rnrTime(code uint8) time.Duration {
	const unit = 10 * time.Microsecond
	switch code &= 31; {
	case code == 0:
		return 65536 * unit
	case code == 1:
		return unit
	case code%2 == 0:
		return unit << (code / 2)
	default:
		return unit<<(code/2) + unit<<(code/2)/2
	}
}
