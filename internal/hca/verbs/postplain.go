package verbs

import (
	"github.com/godapl/godapl/internal/hca"
	"github.com/godapl/godapl/internal/hca/verbs/ibv"
)

// PostPlainWrite implements hca.PlainPoster.
func (q *qp) PostPlainWrite(id uint64, flags hca.Flags, local hca.Segment, remote uint64, rkey hca.Key) error {
	if done, err := q.postPlain(hca.OpWrite, id, flags, local, remote, rkey); done {
		return err
	}
	return q.PostSend(hca.SendWR{ID: id, Op: hca.OpWrite, Flags: flags, Local: local, Remote: remote, RKey: rkey})
}

// PostPlainSend implements hca.PlainPoster.
func (q *qp) PostPlainSend(id uint64, flags hca.Flags, local hca.Segment) error {
	if done, err := q.postPlain(hca.OpSend, id, flags, local, 0, 0); done {
		return err
	}
	return q.PostSend(hca.SendWR{ID: id, Op: hca.OpSend, Flags: flags, Local: local})
}

// postPlain gives the device a request at once if it can. It returns false and
// changes nothing if the request must be refused, held back or flushed.
func (q *qp) postPlain(op hca.Op, id uint64, flags hca.Flags, local hca.Segment, remote uint64, rkey hca.Key) (done bool, err error) {
	q.mu.Lock()
	s := &q.send
	limit := q.ad.attr.MaxMessage
	if op == hca.OpWrite {
		limit = q.ad.attr.MaxRDMA
	}
	if q.state != connected || q.closed || len(q.backlog) > 0 || flags&hca.Fence != 0 || q.quiet.Load() ||
		s.room() == 0 || uint64(local.Len) > limit || local.Len > 0 && q.cfg.SendSGE < 1 {
		q.mu.Unlock()
		return false, nil
	}
	w := &q.args.wrs.S[0]
	*w = ibv.SendWR{Opcode: opcodes[op]}
	if local.Len > 0 {
		q.args.sges.S[0] = ibv.SGE{Addr: local.Addr, Length: local.Len, LKey: uint32(local.Key)}
		w.NumSGE, w.SGList = 1, q.args.sges.Addr(0)
		if q.ad.siw {
			w.NumSGE = int32(cutAtPage(q.args.sges.S))
		}
	}
	if op == hca.OpWrite {
		w.SetRDMA(remote, uint32(rkey))
	}
	seq := s.head.Load()
	rec := s.add(seq, sendRec{id: id, len: uint64(local.Len), op: op, flags: flags})
	q.identify(w, rec, seq)
	_, e := q.chain(1)
	q.probeNow()
	q.mu.Unlock()
	q.ad.watch.posted()
	if e != 0 {
		return true, explainPost("PostSend", e)
	}
	return true, nil
}
