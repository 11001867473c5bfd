package dat_test

import (
	"testing"

	"github.com/godapl/godapl/compat/dat"
	"github.com/godapl/godapl/rdma"
)

// TestModifyKeepsTheHardWatermark: the attribute for the soft watermark arms that, also with the value that it has,
// and the hard one stays.
func TestModifyKeepsTheHardWatermark(t *testing.T) {
	needs(t, "shared receive queues", func(c rdma.Caps) bool { return c.SharedReceive })
	passive, queue := sharedSide(t, 8)
	active := newSide(t, usual, nil)
	p := dat.EPParam{EPAttr: dat.EPAttr{SRQSoftHW: 0}}
	ok(t, dat.EPModify(passive.ep, dat.EPFieldEPAttrSRQSoftHW, &p))
	ok(t, dat.EPSetWatermark(passive.ep, dat.WatermarkInfinite, 0))
	ok(t, dat.EPModify(passive.ep, dat.EPFieldEPAttrSRQSoftHW, &p))
	connect(passive, active, usual)
	ok(t, dat.SRQPostRecv(queue, 1, passive.mem.iov(0, 8), num(1)))
	ok(t, dat.EPPostSend(active.ep, 1, active.mem.iov(0, 8), num(2), 0))
	completion(t, passive.recv, dat.DTOSuccess)
	d := expect(t, passive.async, dat.AsyncErrorEPBroken).EventData.AsynchErrorEventData
	if d.DatHandle != dat.Handle(passive.ep) || d.Reason != dat.SRQSoftHighWatermarkEvent {
		t.Errorf("%+v", d)
	}
	expect(t, passive.conn, dat.ConnectionEventBroken)
}

// TestModifyLeavesTheSegmentsOfASharedQueue: max_recv_iov is the queue's, in dat_ep_modify as in dat_ep_create_with_srq.
func TestModifyLeavesTheSegmentsOfASharedQueue(t *testing.T) {
	needs(t, "shared receive queues", func(c rdma.Caps) bool { return c.SharedReceive })
	s, _ := sharedSide(t, 8)
	before := s.attr()
	for _, n := range []dat.Count{0, 1, 1 << 30} {
		ok(t, dat.EPModify(s.ep, dat.EPFieldEPAttrMaxRecvIOV, &dat.EPParam{EPAttr: dat.EPAttr{MaxRecvIOV: n}}))
		if now := s.attr(); now.MaxRecvIOV != before.MaxRecvIOV {
			t.Errorf("%d segments, before %d", now.MaxRecvIOV, before.MaxRecvIOV)
		}
	}
}

// TestTheSoftWatermarkIsThatOfASharedQueue: srq_soft_hw of an endpoint without a shared receive queue is ignored, since
// programs leave it 0, and a query has the mark that is in effect.
func TestTheSoftWatermarkIsThatOfASharedQueue(t *testing.T) {
	s := newSide(t, usual, nil)
	at := s.attr()
	at.SRQSoftHW = 0
	var ep dat.EPHandle
	ok(t, dat.EPCreate(s.ia, s.pz, s.recv, s.req, s.conn, &at, &ep))
	marked := func(soft dat.Count) {
		t.Helper()
		var p dat.EPParam
		ok(t, dat.EPQuery(ep, dat.EPFieldAll, &p))
		if p.EPAttr.SRQSoftHW != soft {
			t.Errorf("the endpoint says that the mark is %d, want %d", p.EPAttr.SRQSoftHW, soft)
		}
	}
	marked(dat.HWDefault)
	for range 2 {
		ok(t, dat.EPPostRecv(ep, 1, s.mem.iov(0, 8), num(1), 0))
	}
	ok(t, dat.EPModify(ep, dat.EPFieldEPAttrSRQSoftHW, &dat.EPParam{EPAttr: at}))
	marked(dat.HWDefault)
	empty(t, s.async)
	ok(t, dat.EPSetWatermark(ep, 2, dat.WatermarkInfinite))
	ok(t, dat.EPModify(ep, dat.EPFieldEPAttrSRQSoftHW, &dat.EPParam{EPAttr: at}))
	marked(2)
	empty(t, s.async)
	ok(t, dat.EPPostRecv(ep, 1, s.mem.iov(0, 8), num(1), 0))
	expect(t, s.async, dat.AsyncErrorEPBroken)
	at.SRQSoftHW = -2
	want(t, dat.EPModify(ep, dat.EPFieldEPAttrSRQSoftHW, &dat.EPParam{EPAttr: at}), dat.InvalidParameter, dat.InvalidArg3)
	ok(t, dat.EPFree(ep))
}
