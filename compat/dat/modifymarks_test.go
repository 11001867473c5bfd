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
