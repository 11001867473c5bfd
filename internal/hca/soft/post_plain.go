package soft

import (
	"github.com/godapl/godapl/internal/hca"
	"github.com/godapl/godapl/internal/shm"
)

// plainWrite is PostPlainWrite but for its short cut, and PostPlainSend implements
// hca.PlainPoster. What can be carried out at once becomes no request at all; everything
// else is PostSend's.

func (q *qp) plainWrite(id uint64, flags hca.Flags, local hca.Segment, remote uint64, rkey hca.Key) error {
	n := uint64(local.Len)
	p := q.peer.Load()
	if p == nil {
		if c := q.shm.Load(); c != nil && n <= shm.PieceSize && q.state.Load() == stReady {
			return c.postPlainWrite(id, flags, local, remote, rkey)
		}
	}
	if p == nil || n > pieceSize || q.state.Load() != stReady {
		return q.PostSend(hca.SendWR{ID: id, Op: hca.OpWrite, Flags: flags, Local: local, Remote: remote, RKey: rkey})
	}
	counted, inside := q.tx.countIn(int(q.sendDepth))
	if !counted {
		if counted, inside = q.countBehind(); !counted {
			return errSendFull
		}
	}
	if inside && q.clear() && q.writeAtOnce(p, local, remote, rkey) {
		q.completed(id, n, hca.OpWrite, flags)
		return nil
	}
	q.enqueue(&hca.SendWR{ID: id, Op: hca.OpWrite, Flags: flags, Local: local, Remote: remote, RKey: rkey}, inside)
	return nil
}

func (q *qp) PostPlainSend(id uint64, flags hca.Flags, local hca.Segment) error {
	if uint64(local.Len) > q.a.attr.MaxMessage || q.state.Load() != stReady {
		return q.PostSend(hca.SendWR{ID: id, Op: hca.OpSend, Flags: flags, Local: local})
	}
	counted, inside := q.tx.countIn(int(q.sendDepth))
	if !counted {
		if counted, inside = q.countBehind(); !counted {
			return errSendFull
		}
	}
	if !inside || q.peer.Load() != nil {
		q.enqueue(&hca.SendWR{ID: id, Op: hca.OpSend, Flags: flags, Local: local}, inside)
		return nil
	}
	c := q.conn.Load()
	if c != nil && c.sendShort(id, flags, local) {
		return nil
	}
	if c := q.shm.Load(); c != nil && c.sendShort(id, flags, local) {
		return nil
	}
	var af after
	q.empty()
	q.sq.pushPlain(id, hca.OpSend, flags, local)
	if c == nil || !c.gather() {
		q.pump(&af)
	}
	q.leave(&af)
	return nil
}

// completed ends a request that was carried out at once, and leaves tx.
func (q *qp) completed(id, n uint64, op hca.Op, flags hca.Flags) {
	if flags&hca.Suppress != 0 {
		q.tx.uncount(1)
	} else {
		q.entered(id, n, op, hca.StatusOK, flags)
	}
	if q.tx.leave() {
		var af after
		if flags&hca.Suppress == 0 {
			af.wake(q.scq, flags)
		}
		q.pump(&af)
		q.leave(&af)
		return
	}
	if flags&(hca.Suppress|hca.Quiet) == 0 {
		q.scq.wake()
	}
}

// clear tells whether a request may be carried out before it is queued: nothing
// is before it. The caller is inside tx.
func (q *qp) clear() bool {
	return q.sq.empty() && !q.held && q.inboxed.Load() == 0 && q.state.Load() == stReady
}

// writeAtOnce carries out a small write. It reports false, having done nothing,
// if it cannot.
func (q *qp) writeAtOnce(p *qp, local hca.Segment, remote uint64, rkey hca.Key) bool {
	if local.Len == 0 {
		return false
	}
	src, frail, f := localMem(q.pd, local, hca.LocalRead)
	if f != faultNone {
		return false
	}
	if q.far == nil {
		q.far = p.pd
	}
	dst, g, f := q.far.a.keys.checkIn(q.far, p, rkey, remote, uint64(local.Len), hca.RemoteWrite)
	if f != faultNone {
		return false // the slow way says why
	}
	switch {
	case frail || g.frail:
		_, at := tryWrite(dst, src, true, true)
		return at == 0
	case len(src) == 8 && addrOf(dst)%8 == 0:
		storeWord(dst, src)
	default:
		writePiece(dst, src, true)
	}
	return true
}
