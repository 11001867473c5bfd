package verbs

import (
	"github.com/godapl/godapl/internal/hca"
	"github.com/godapl/godapl/internal/hca/verbs/ibv"
)

// received makes the entry of a receive.
func (q *qp) received(c *cq, from slotOwner, id uint64, flags hca.Flags, w *ibv.WC) {
	wc := hca.WC{
		ID: id, Owner: q.cfg.Owner, Len: uint64(w.ByteLen), Op: hca.OpRecv,
		Status: status(w.Status), Flags: flags,
	}
	switch {
	case w.Status == ibv.WCRemAccessErr || w.Status == ibv.WCRemInvReqErr:
		// That is the peer's request, which took no receive: only Linux's rxe
		// ends a receive for it.
		wc.Status, wc.Len, wc.Flags = hca.StatusFlushed, 0, flags&^hca.Quiet
		c.tell(q, func(q *qp) { q.fail(explainAsync(ibv.EventQPAccessErr, "remote access error", q.info.Remote)) })
	case wc.Status != hca.StatusOK:
		wc.Len, wc.Vendor, wc.Flags = 0, w.VendorErr, flags&^hca.Quiet
		c.tell(q, q.failure(wc.Op, wc.Status, w.Status, wc.Vendor))
	case w.Opcode == ibv.WCRecvRDMAWithImm:
		wc.Op, wc.Imm = hca.OpRecvWriteImm, w.Imm()
	case w.Flags&ibv.WCWithImm != 0:
		wc.Op, wc.Imm = hca.OpRecvImm, w.Imm()
	case w.Flags&ibv.WCWithInv != 0 || q.ad.rxe && w.Flags&rxeWithInv != 0:
		wc.Op, wc.RKey = hca.OpRecvInvalidate, hca.Key(w.InvalidatedKey())
		q.pd.invalidated(w.InvalidatedKey())
	}
	c.emit(&wc, from)
}
