package fakeibv

import (
	"slices"
	"time"

	"github.com/godapl/godapl/internal/hca/verbs/ibv"
)

// qp is a queue pair.
type qp struct {
	w        *World
	pd       *pd
	h        ibv.QP
	num      uint32
	scq, rcq *cq
	srq      *srq
	state    ibv.QPState
	cap      ibv.QPCap
	sends    int // posted, and not completed
	recvs    []recv
	windows  int // of type 2 that are bound through it

	peer *qp
	// rnrTimer is how long the peer waits before it tries again; rnrTries how often this
	// side tries: 7 without end.
	rnrTimer, rnrTries uint8
	// spoiled is the status that the next request fails with, if it is not 0.
	spoiled ibv.WCStatus
	// waiting ends the wait of the first request for the peer.
	waiting func()

	sq, rq, sent, got, raise *lane
	async                    unacked
}

func (w *World) qpCalls() map[string]function {
	return map[string]function{
		"ibv_create_srq":  w.createSRQ,
		"ibv_modify_srq":  w.modifySRQ,
		"ibv_query_srq":   w.querySRQ,
		"ibv_destroy_srq": w.destroySRQ,
		"rdma_create_qp":  w.createQP,
		"ibv_modify_qp":   w.modifyQP,
		"ibv_query_qp":    w.queryQP,
		"ibv_destroy_qp":  w.destroyQP,
	}
}

func (w *World) createQP(a args) (uintptr, ibv.Errno) {
	i := object[cmID](w, a[0], "rdma_create_qp")
	p := object[pd](w, a[1], "rdma_create_qp")
	attr := &ibv.View[ibv.QPInitAttr](a[2], 1)[0]
	if i == nil || p == nil || i.dev != p.dev || i.h.QP() != 0 {
		return num(ibv.EINVAL)
	}
	scq, rcq := object[cq](w, uintptr(attr.SendCQ), "rdma_create_qp"), object[cq](w, uintptr(attr.RecvCQ), "rdma_create_qp")
	if scq == nil || rcq == nil || attr.Cap.MaxSendWR > maxWR || attr.Cap.MaxRecvWR > maxWR {
		return num(ibv.EINVAL)
	}
	q := &qp{
		w: w, pd: p, scq: scq, rcq: rcq, state: ibv.QPInit, cap: attr.Cap,
		sq: w.newLane(), rq: w.newLane(), sent: w.newLane(), got: w.newLane(), raise: w.newLane(),
	}
	if attr.SRQ != 0 {
		if q.srq = object[srq](w, uintptr(attr.SRQ), "rdma_create_qp"); q.srq == nil {
			return num(ibv.EINVAL)
		}
		q.srq.users++
		q.srq.queues = append(q.srq.queues, q)
	}
	w.nextNum++
	q.num = w.nextNum
	q.h = ibv.NewQP(p.h, attr, q.num)
	p.users++
	scq.users++
	rcq.users++
	i.h.SetQP(q.h)
	i.qp = q
	keep(w, q.h, q)
	return 0, 0
}

func (w *World) modifyQP(a args) (uintptr, ibv.Errno) {
	q := object[qp](w, a[0], "ibv_modify_qp")
	if q == nil {
		return num(ibv.EINVAL)
	}
	attr, mask := &ibv.View[ibv.QPAttr](a[1], 1)[0], ibv.QPAttrMask(a[2])
	if mask&ibv.QPAttrMinRNRTimer != 0 {
		q.rnrTimer = attr.MinRNRTimer
	}
	if mask&ibv.QPAttrState != 0 {
		if attr.State != ibv.QPError {
			return num(ibv.EINVAL) // nobody here moves it elsewhere
		}
		w.toError(q)
	}
	return 0, 0
}

func (w *World) queryQP(a args) (uintptr, ibv.Errno) {
	q := object[qp](w, a[0], "ibv_query_qp")
	if q == nil {
		return num(ibv.EINVAL)
	}
	ibv.View[ibv.QPAttr](a[1], 1)[0] = ibv.QPAttr{State: q.state, CurState: q.state, Cap: q.cap}
	return 0, 0
}

// destroyQP drops the entries that are not visible yet, and by chance those that are:
// drivers differ.
func (w *World) destroyQP(a args) (uintptr, ibv.Errno) {
	q := object[qp](w, a[0], "ibv_destroy_qp")
	switch {
	case q == nil:
		return num(ibv.EINVAL)
	case q.windows > 0:
		return num(ibv.EBUSY)
	}
	for _, l := range []*lane{q.sq, q.rq, q.sent, q.got, q.raise} {
		w.end(l)
	}
	q.calm()
	if w.rng.IntN(2) == 0 {
		for _, c := range []*cq{q.scq, q.rcq} {
			c.entries = slices.DeleteFunc(c.entries, func(wc ibv.WC) bool { return wc.QPNum == q.num })
		}
	}
	q.state = ibv.QPReset
	if q.peer != nil {
		w.free(q.peer.sq)
		q.peer.peer, q.peer = nil, nil
	}
	if q.srq != nil {
		q.srq.users--
		q.srq.queues = slices.DeleteFunc(q.srq.queues, func(o *qp) bool { return o == q })
	}
	w.retract(q.pd.dev, &q.async)
	q.pd.users--
	q.scq.users--
	q.rcq.users--
	drop(w, q.h)
	return 0, 0
}

// toError moves a queue pair to the error state: its requests are flushed.
func (w *World) toError(q *qp) {
	if q.state == ibv.QPError {
		return
	}
	q.state = ibv.QPError
	q.calm()
	w.free(q.sq)
	for range q.recvs {
		w.flushRecv(q)
	}
	if q.srq != nil {
		w.do(q.got, func() { // behind the completions
			w.raise(q.pd.dev, q.raise, ibv.NewAsyncEvent(ibv.EventQPLastWQEReached, uintptr(q.h), 0), &q.async)
		})
	}
}

// flushRecv flushes the first receive.
func (w *World) flushRecv(q *qp) {
	w.do(q.rq, func() {
		r := q.recvs[0]
		q.recvs = q.recvs[1:]
		if !w.odd("flushed receive does not come") {
			w.received(q, ibv.WC{ID: r.id, Status: ibv.WCWRFlushErr}, false)
		}
	})
}

// calm ends the first request's wait.
func (q *qp) calm() {
	if q.waiting != nil {
		q.waiting()
		q.waiting = nil
	}
}

// freePeer lets the peer's requests continue.
func (w *World) freePeer(q *qp) {
	if q.peer != nil {
		w.free(q.peer.sq)
	}
}

// received and completed make completions, visible in a later step.
func (w *World) received(q *qp, wc ibv.WC, solicited bool) {
	wc.QPNum = q.num
	w.do(q.got, func() { w.enter(q.rcq, wc, solicited) })
}

func (w *World) completed(q *qp, wc ibv.WC) {
	wc.QPNum = q.num
	w.do(q.sent, func() { w.enter(q.scq, wc, false) })
}

// retryTime is how long a device sends a message again to a peer that does not answer.
const retryTime = 400 * time.Millisecond
