package verbs

import (
	"strconv"

	"github.com/godapl/godapl/internal/hca"
	"github.com/godapl/godapl/internal/hca/ops"
	"github.com/godapl/godapl/internal/hca/verbs/ibv"
)

var opcodes = [...]ibv.WROpcode{
	hca.OpSend:           ibv.WRSend,
	hca.OpSendInvalidate: ibv.WRSendWithInv,
	hca.OpSendImm:        ibv.WRSendWithImm,
	hca.OpWrite:          ibv.WRRDMAWrite,
	hca.OpWriteImm:       ibv.WRRDMAWriteWithImm,
	hca.OpRead:           ibv.WRRDMARead,
	hca.OpFetchAdd:       ibv.WRAtomicFetchAndAdd,
	hca.OpCompareSwap:    ibv.WRAtomicCmpAndSwp,
	hca.OpBind:           ibv.WRBindMW,
}

// build checks a request and writes record and work request number n of a
// post whose first request has number base.
func (q *qp) build(base uint64, n int, wr *hca.SendWR) error {
	const op = "PostSend"
	if !ops.Posted(wr.Op) {
		return hca.NewError(hca.Invalid, op, wr.Op.String(), "that is no operation of the send side")
	}
	if needs := ops.Of(wr.Op).Needs; q.ad.attr.Caps&needs != needs {
		return hca.NewError(hca.Unsupported, op, wr.Op.String(), "this device cannot do that: see the capabilities in its attributes")
	}
	if q.info.ReadsOut == 0 && q.state <= draining && ops.HasResponse(wr.Op) {
		return hca.NewError(hca.Unsupported, op, wr.Op.String(),
			"the two sides agreed on no reads: this side's QPConfig.ReadsOut and the peer's ReadsIn must be more than 0")
	}
	w := &q.args.wrs.S[n]
	*w = ibv.SendWR{Opcode: opcodes[wr.Op]}
	length, err := q.fillSegments(n, w, wr)
	if err != nil {
		return err
	}
	switch wr.Op {
	case hca.OpSendInvalidate:
		w.SetInvalidate(uint32(wr.RKey))
		if q.ad.siw {
			w.SetRDMA(0, uint32(wr.RKey)) // where its library looks for it
		}
	case hca.OpSendImm:
		w.SetImm(wr.Imm)
	case hca.OpWriteImm:
		w.SetImm(wr.Imm)
		w.SetRDMA(wr.Remote, uint32(wr.RKey))
	case hca.OpWrite, hca.OpRead:
		w.SetRDMA(wr.Remote, uint32(wr.RKey))
	case hca.OpFetchAdd:
		w.SetFetchAdd(wr.Remote, uint32(wr.RKey), wr.Operand)
	case hca.OpCompareSwap:
		w.SetCompareSwap(wr.Remote, uint32(wr.RKey), wr.Compare, wr.Operand)
	case hca.OpBind:
		if length, err = q.buildBind(n, w, wr); err != nil {
			return err
		}
	}
	seq := base + uint64(n)
	rec := q.send.add(seq, sendRec{id: wr.ID, len: length, bind: wr.Bind, op: wr.Op, flags: wr.Flags})
	q.identify(w, rec, seq)
	return nil
}

// identify gives a work request its number and its flags.
func (q *qp) identify(w *ibv.SendWR, rec *sendRec, seq uint64) {
	w.ID = uint64(q.sendID(seq))
	w.Flags = sendFlags(rec.flags)
	if q.ad.softFence {
		w.Flags &^= ibv.SendFence
	}
	if rec.signaled {
		w.Flags |= ibv.SendSignaled
	}
}

func sendFlags(f hca.Flags) ibv.SendFlags {
	var v ibv.SendFlags
	if f&hca.Fence != 0 {
		v |= ibv.SendFence
	}
	if f&hca.Solicited != 0 {
		v |= ibv.SendSolicited
	}
	return v
}

// fillSegments writes the list of segments and gives their length in all.
func (q *qp) fillSegments(n int, w *ibv.SendWR, wr *hca.SendWR) (uint64, error) {
	const op = "PostSend"
	most, limit, row := q.cfg.SendSGE, q.ad.attr.MaxMessage, ops.Of(wr.Op)
	if row.Remote != 0 {
		limit = q.ad.attr.MaxRDMA
	}
	switch {
	case row.Local == 0:
		return 0, nil
	case wr.Op == hca.OpRead:
		most = min(most, q.ad.attr.MaxReadSGE)
	case row.Size != 0:
		most = 1
		if uint64(wr.Local.Len) != row.Size || len(wr.More) > 0 {
			return 0, hca.NewError(hca.Length, op, wr.Op.String(), "the former value needs one segment of "+strconv.FormatUint(row.Size, 10)+" bytes")
		}
	}
	if segments(wr.Local, wr.More) > most {
		return 0, tooManySegments(op, most)
	}
	first := n * q.args.sge
	k, sum := putSegments(q.args.sges.S[first:], wr.Local, wr.More)
	if sum > limit {
		return 0, hca.NewError(hca.Length, op, strconv.FormatUint(sum, 10)+" bytes",
			"the longest message of this device has "+strconv.FormatUint(limit, 10))
	}
	if k == 0 && wr.Op == hca.OpRead && q.ad.siw {
		w.Opcode = ibv.WRRDMAWrite // of no bytes: it completes when the requests before it are complete
	}
	if w.NumSGE = int32(k); k > 0 {
		w.SGList = q.args.sges.Addr(first)
	}
	if k == 1 && q.ad.siw && wr.Op != hca.OpRead {
		w.NumSGE = int32(cutAtPage(q.args.sges.S[first:]))
	}
	return sum, nil
}

// putSegments writes segments for the device, but for those of no bytes, and
// tells how many were written and their length in all.
func putSegments(to []ibv.SGE, first hca.Segment, more []hca.Segment) (n int, sum uint64) {
	if first.Len > 0 {
		to[0] = ibv.SGE{Addr: first.Addr, Length: first.Len, LKey: uint32(first.Key)}
		n, sum = 1, uint64(first.Len)
	}
	for i := range more {
		if g := &more[i]; g.Len > 0 {
			to[n] = ibv.SGE{Addr: g.Addr, Length: g.Len, LKey: uint32(g.Key)}
			n++
			sum += uint64(g.Len)
		}
	}
	return n, sum
}

// segments counts them, with or without bytes.
func segments(first hca.Segment, more []hca.Segment) int {
	if first.Len == 0 && len(more) == 0 {
		return 0
	}
	return 1 + len(more)
}

func tooManySegments(op string, most int) error {
	return hca.NewError(hca.Invalid, op, "segments", "at most "+strconv.Itoa(most)+
		" were agreed upon when the queue was made, or are possible on this device")
}
