package verbs

import (
	"github.com/godapl/godapl/internal/hca"
	"github.com/godapl/godapl/internal/hca/verbs/ibv"
)

// received creates the entry of a receive.
func (q *qp) received(c *cq, from slotOwner, id uint64, flags hca.Flags, w *ibv.WC) {
	wc := hca.WC{
		ID: id, Owner: q.cfg.Owner, Len: uint64(w.ByteLen), Op: hca.OpRecv,
		Status: status(w.Status), Flags: flags,
	}
	switch {
	case w.Status == ibv.WCRemAccessErr || w.Status == ibv.WCRemInvReqErr:
		// The status is that of a request of the peer, which has taken no
		// receive: only Linux's rxe ends a receive because of it.
		wc.Status, wc.Len, wc.Flags = hca.StatusFlushed, 0, flags&^hca.Quiet
		c.deferWork(q, func(q *qp) { q.fail(explainAsync(ibv.EventQPAccessErr, "remote access error", q.info.Remote)) })
	case wc.Status != hca.StatusOK:
		wc.Len, wc.Vendor, wc.Flags = 0, w.VendorErr, flags&^hca.Quiet
		c.deferWork(q, q.failure(wc.Op, wc.Status, w.Status, wc.Vendor))
	case w.Opcode == ibv.WCRecvRDMAWithImm:
		wc.Op, wc.Imm = hca.OpRecvWriteImm, w.Imm()
	case w.Flags&ibv.WCWithImm != 0:
		wc.Op, wc.Imm = hca.OpRecvImm, w.Imm()
	case w.Flags&ibv.WCWithInv != 0 || q.ad.rxe && w.Flags&rxeWithInv != 0:
		wc.Op, wc.RKey = hca.OpRecvInvalidate, hca.Key(w.InvalidatedKey())
		q.pd.invalidated(w.InvalidatedKey())
	}
	if wc.Status == hca.StatusOK {
		q.send.answered.Store(q.send.given.Load())
	}
	q.got.count(wc.Op, wc.Status, wc.Len)
	if f := q.flight; f != nil {
		f.Received.Completed(nil, wc.Op, wc.Status, id, wc.Len)
	}
	c.emit(&wc, from)
}
