package fakeibv

import "github.com/godapl/godapl/internal/hca/verbs/ibv"

// recv is a posted receive.
type recv struct {
	id   uint64
	sges []ibv.SGE
}

// srq is a shared receive queue.
type srq struct {
	pd     *pd
	h      ibv.SRQ
	recvs  []recv
	max    int
	sge    int
	limit  int
	users  int
	raise  *lane
	async  unacked
	queues []*qp // that use it
}

func (w *World) createSRQ(a args) (uintptr, ibv.Errno) {
	p := object[pd](w, a[0], "ibv_create_srq")
	attr := &ibv.View[ibv.SRQInitAttr](a[1], 1)[0]
	if p == nil || attr.Attr.MaxWR == 0 || attr.Attr.MaxWR > maxWR {
		return 0, ibv.EINVAL
	}
	s := &srq{pd: p, max: int(attr.Attr.MaxWR), sge: int(attr.Attr.MaxSGE), raise: w.newLane()}
	s.h = ibv.NewSRQ(p.h, attr.Context)
	p.users++
	return uintptr(keep(w, s.h, s)), 0
}

func (w *World) modifySRQ(a args) (uintptr, ibv.Errno) {
	s := object[srq](w, a[0], "ibv_modify_srq")
	attr, mask := ibv.View[ibv.SRQAttr](a[1], 1)[0], ibv.SRQAttrMask(a[2])
	if s == nil || mask&ibv.SRQMaxWR != 0 && (int(attr.MaxWR) < len(s.recvs) || attr.MaxWR > maxWR) {
		return num(ibv.EINVAL)
	}
	if mask&ibv.SRQMaxWR != 0 {
		s.max = int(attr.MaxWR)
	}
	if mask&ibv.SRQLimit != 0 {
		s.limit = int(attr.Limit)
	}
	return 0, 0
}

func (w *World) querySRQ(a args) (uintptr, ibv.Errno) {
	s := object[srq](w, a[0], "ibv_query_srq")
	if s == nil {
		return num(ibv.EINVAL)
	}
	ibv.View[ibv.SRQAttr](a[1], 1)[0] = ibv.SRQAttr{MaxWR: uint32(s.max), MaxSGE: uint32(s.sge), Limit: uint32(s.limit)}
	return 0, 0
}

func (w *World) destroySRQ(a args) (uintptr, ibv.Errno) {
	s := object[srq](w, a[0], "ibv_destroy_srq")
	switch {
	case s == nil:
		return num(ibv.EINVAL)
	case s.users > 0:
		return num(ibv.EBUSY)
	}
	w.end(s.raise)
	w.retract(s.pd.dev, &s.async)
	s.pd.users--
	drop(w, s.h)
	return 0, 0
}

func (w *World) postSRQRecv(a args) (uintptr, ibv.Errno) {
	s := object[srq](w, a[0], "ibv_post_srq_recv")
	if s == nil {
		return num(ibv.EINVAL)
	}
	for at := a[1]; at != 0; {
		r, next := readRecv(at)
		if len(s.recvs) >= s.max || len(r.sges) > s.sge {
			ibv.View[uintptr](a[2], 1)[0] = at
			return num(ibv.ENOMEM)
		}
		s.recvs = append(s.recvs, r)
		at = next
	}
	for _, q := range s.queues {
		w.freePeer(q)
	}
	return 0, 0
}

func readRecv(at uintptr) (recv, uintptr) {
	wr := &ibv.View[ibv.RecvWR](at, 1)[0]
	return recv{wr.ID, readSGEs(wr.SGList, wr.NumSGE)}, wr.Next
}

func readSGEs(at uintptr, n int32) []ibv.SGE {
	if n == 0 {
		return nil
	}
	return append([]ibv.SGE(nil), ibv.View[ibv.SGE](at, int(n))...)
}

// taken raises the event of the limit after a receive was taken.
func (w *World) taken(s *srq) {
	if s.limit > 0 && len(s.recvs) < s.limit {
		s.limit = 0
		w.raise(s.pd.dev, s.raise, ibv.NewAsyncEvent(ibv.EventSRQLimitReached, uintptr(s.h), 0), &s.async)
	}
}
