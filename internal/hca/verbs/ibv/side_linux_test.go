package ibv_test

import (
	"testing"

	"github.com/godapl/godapl/internal/hca/verbs/ibv"
)

// side is one end of a connection with all that it works with.
type side struct {
	t     *testing.T
	lib   *ibv.Lib
	id    ibv.ID
	qp    ibv.QP
	cq    ibv.CQ
	ch    ibv.CompChannel
	mr    ibv.MR
	frame *ibv.Frame
	mem   *ibv.Array[byte]
	send  *ibv.Array[ibv.SendWR]
	recv  *ibv.Array[ibv.RecvWR]
	sge   *ibv.Array[ibv.SGE]
	wcs   *ibv.Array[ibv.WC]
	bad   *ibv.Array[uintptr]
	ready []ibv.WC
}

const depth = 16

// newSide gives an ID a queue pair and memory of 4096 bytes.
func newSide(r *rig, id ibv.ID, srq ibv.SRQ) *side {
	t := r.t
	s := &side{t: t, lib: r.lib, id: id, frame: &ibv.Frame{Ops: r.c.Ops()}}
	s.mem, s.send, s.recv = array[byte](t, 4096), array[ibv.SendWR](t, 2*depth), array[ibv.RecvWR](t, depth)
	s.sge, s.wcs, s.bad = array[ibv.SGE](t, 2*depth), array[ibv.WC](t, depth), array[uintptr](t, 1)
	var e ibv.Errno
	s.ch, e = r.lib.CreateCompChannel(r.c)
	ok(t, "ibv_create_comp_channel", e)
	s.cq, e = r.lib.CreateCQ(r.c, 4*depth, 42, s.ch, 0)
	ok(t, "ibv_create_cq", e)
	rights := ibv.AccessLocalWrite | ibv.AccessRemoteRead | ibv.AccessRemoteWrite
	a, e := r.lib.QueryDevice(r.c)
	ok(t, "ibv_query_device", e)
	if a.AtomicCap != ibv.AtomicNone {
		rights |= ibv.AccessRemoteAtomic
	}
	if a.Caps&ibv.DeviceMemWindow != 0 {
		rights |= ibv.AccessMWBind
	}
	s.mr, e = r.lib.RegMR(r.pd, s.mem.Addr(0), len(s.mem.S), rights)
	ok(t, "ibv_reg_mr", e)
	attr := ibv.QPInitAttr{
		Context: 43, SendCQ: s.cq, RecvCQ: s.cq, SRQ: srq, Type: ibv.QPTypeRC,
		Cap: ibv.QPCap{MaxSendWR: depth, MaxRecvWR: depth, MaxSendSGE: 2, MaxRecvSGE: 1},
	}
	ok(t, "rdma_create_qp", r.lib.CreateQP(id, r.pd, &attr))
	s.qp = id.QP()
	if attr.Cap.MaxSendWR < depth || attr.Cap.MaxSendSGE < 2 || s.qp.UserContext() != 43 || s.qp.Context() != r.c || s.qp.Num() == 0 {
		t.Errorf("queue pair %d: %+v", s.qp.Num(), attr)
	}
	return s
}

func (s *side) close() {
	if s.id.TakeQP() != s.qp || s.id.QP() != 0 {
		s.t.Error("the identifier still has its queue pair")
	}
	ok(s.t, "ibv_destroy_qp", s.lib.DestroyQP(s.qp))
	ok(s.t, "rdma_destroy_id", s.lib.DestroyID(s.id))
	ok(s.t, "ibv_destroy_cq", s.lib.DestroyCQ(s.cq))
	ok(s.t, "ibv_destroy_comp_channel", s.lib.DestroyCompChannel(s.ch))
	ok(s.t, "ibv_dereg_mr", s.lib.DeregMR(s.mr))
}

// piece fills entry i of the scatter list: n bytes of the memory from off.
func (s *side) piece(i, off, n int) uintptr {
	s.sge.S[i] = ibv.SGE{Addr: uint64(s.mem.Addr(off)), Length: uint32(n), LKey: s.mr.LKey()}
	return s.sge.Addr(i)
}

// receive posts n receives of 64 bytes as one chain.
func (s *side) receive(n int) {
	for i := range n {
		s.recv.S[i] = ibv.RecvWR{ID: uint64(100 + i), SGList: s.piece(i, 64*i, 64), NumSGE: 1}
		if i > 0 {
			s.recv.S[i-1].Next = s.recv.Addr(i)
		}
	}
	ok(s.t, "ibv_post_recv", s.frame.PostRecv(s.qp, s.recv.Addr(0), s.bad.Addr(0)))
}

// post posts requests as one chain, each of n bytes from off.
func (s *side) post(off, n int, wrs ...ibv.SendWR) ibv.Errno {
	for i, w := range wrs {
		w.SGList, w.NumSGE, w.Next = s.piece(i, off, n), 1, 0
		if i > 0 {
			s.send.S[i-1].Next = s.send.Addr(i)
		}
		s.send.S[i] = w
	}
	return s.frame.PostSend(s.qp, s.send.Addr(0), s.bad.Addr(0))
}

// completion waits for one completion, by way of the channel's events.
func (s *side) completion() ibv.WC {
	s.t.Helper()
	for len(s.ready) == 0 {
		ok(s.t, "ibv_req_notify_cq", s.frame.ReqNotify(s.cq, false))
		if s.drain() {
			break
		}
		await(s.t, "a completion", s.ch.FD(), func() bool {
			cq, user, e := s.lib.GetCQEvent(s.ch)
			if e == ibv.EAGAIN {
				return false
			}
			ok(s.t, "ibv_get_cq_event", e)
			if cq != s.cq || user != 42 {
				s.t.Errorf("the event is of %#x, user %d", cq, user)
			}
			s.lib.AckCQEvents(cq, 1)
			return true
		})
		s.drain()
	}
	wc := s.ready[0]
	s.ready = s.ready[1:]
	return wc
}

func (s *side) drain() bool {
	n := s.frame.PollCQ(s.cq, len(s.wcs.S), s.wcs.Addr(0))
	if n < 0 {
		s.t.Fatalf("ibv_poll_cq: %d", n)
	}
	s.ready = append(s.ready, s.wcs.S[:n]...)
	return len(s.ready) > 0
}

// done waits for the request of that number to have succeeded.
func (s *side) done(what string, id uint64, op ibv.WCOpcode) ibv.WC {
	s.t.Helper()
	wc := s.completion()
	if wc.ID != id || wc.Status != ibv.WCSuccess || wc.Opcode != op || wc.QPNum != s.qp.Num() {
		s.t.Fatalf("%s: request %d, status %q, opcode %d, queue pair %d; want request %d, opcode %d, queue pair %d",
			what, wc.ID, s.lib.WCStatusString(wc.Status), wc.Opcode, wc.QPNum, id, op, s.qp.Num())
	}
	return wc
}
