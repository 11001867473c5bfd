package inproc

import (
	"github.com/godapl/godapl/internal/hca"
	"github.com/godapl/godapl/internal/hca/soft/core"
	"github.com/godapl/godapl/internal/hca/soft/rawmem"
	"github.com/godapl/godapl/internal/hca/soft/sendhalf"
)

// AtOnce implements sendhalf.Path: it carries out a small send or write without queueing it, if no request is
// before it in the queue.
func (c *Conn) AtOnce(_ uint64, op hca.Op, flags hca.Flags, local hca.Segment, remote uint64, rkey hca.Key) sendhalf.Now {
	if local.Len > rawmem.PieceSize || local.Len == 0 || !c.q.NothingBefore() {
		return sendhalf.NotNow
	}
	if op == hca.OpWrite && c.writeAtOnce(local, remote, rkey) || op == hca.OpSend && c.sendAtOnce(flags, local) {
		return sendhalf.NowDone
	}
	return sendhalf.NotNow
}

// PostPlainWrite implements hca.PlainPoster. A small write is the shortest path of the library, so this does
// without the calls of sendhalf.Half.
func (c *Conn) PostPlainWrite(id uint64, flags hca.Flags, local hca.Segment, remote uint64, rkey hca.Key) error {
	q := c.q
	n := uint64(local.Len)
	if n > rawmem.PieceSize || q.State.Load() != core.StateReady {
		return c.Half.PostPlainWrite(id, flags, local, remote, rkey)
	}
	counted, inside := q.Tx.CountIn(int(q.SendDepth))
	if !counted {
		if counted, inside = q.CountBehind(); !counted {
			return core.ErrSendFull
		}
	}
	if inside && q.NothingBefore() && c.writeAtOnce(local, remote, rkey) {
		q.CountSent(hca.OpWrite, n)
		if q.Completed(id, n, hca.OpWrite, flags) {
			c.LeaveCompleted(flags)
		}
		return nil
	}
	c.QueuePlain(id, hca.OpWrite, flags, local, remote, rkey, inside)
	return nil
}

// PostPlainSend implements hca.PlainPoster, for a small send likewise.
func (c *Conn) PostPlainSend(id uint64, flags hca.Flags, local hca.Segment) error {
	q := c.q
	if local.Len-1 >= rawmem.PieceSize || q.State.Load() != core.StateReady {
		return c.Half.PostPlainSend(id, flags, local)
	}
	counted, inside := q.Tx.CountIn(int(q.SendDepth))
	if !counted {
		if counted, inside = q.CountBehind(); !counted {
			return core.ErrSendFull
		}
	}
	if inside && q.NothingBefore() && c.sendAtOnce(flags, local) {
		c.DonePlain(id, hca.OpSend, flags, uint64(local.Len))
		return nil
	}
	c.QueuePlain(id, hca.OpSend, flags, local, 0, 0, inside)
	return nil
}

// PostSend implements hca.Poster. A small write with an immediate is carried out at once, if no request is before it.
func (c *Conn) PostSend(wr hca.SendWR) error {
	q := c.q
	if wr.Op != hca.OpWriteImm || len(wr.More) > 0 || wr.Local.Len > rawmem.PieceSize || !q.PlainReady(wr.Local.Len) {
		return c.Half.PostSend(wr)
	}
	inside, err := q.CountPost()
	switch {
	case err != nil:
		return err
	case !inside:
		q.PutInInbox(&wr)
		c.RunSend()
	case q.NothingBefore() && c.writeImmAtOnce(&wr):
		c.DonePlain(wr.ID, wr.Op, wr.Flags, uint64(wr.Local.Len))
	default:
		c.Queue(&wr)
	}
	return nil
}

// writeImmAtOnce carries out a small write with an immediate. If it cannot, it returns false and changes nothing that
// the slow path would change again.
func (c *Conn) writeImmAtOnce(wr *hca.SendWR) bool {
	if c.HasCur || !c.peer.NextReceive(&c.Cur) {
		return false
	}
	c.HasCur = true // the slow path uses the receive, if this one fails
	if !c.writeAtOnce(wr.Local, wr.Remote, wr.RKey) {
		return false
	}
	c.Complete(c.peer, hca.OpRecvWriteImm, uint64(wr.Local.Len), wr.Imm, 0, wr.Flags&hca.Solicited != 0, &c.After)
	return true
}

// sendAtOnce carries out a small send. If it cannot, it returns false and changes nothing.
func (c *Conn) sendAtOnce(flags hca.Flags, local hca.Segment) bool {
	p := c.peer
	src, frail, f := core.LocalMem(c.q.PD, local, hca.LocalRead)
	if f != core.FaultNone || c.HasCur || !p.NextReceive(&c.Cur) {
		return false
	}
	c.HasCur = true // the slow path uses the receive, if this one fails
	if c.Cur.Local.Len < local.Len {
		return false
	}
	to, theirs, f := core.LocalMem(p.PD, c.Cur.Local, hca.LocalWrite)
	if f != core.FaultNone {
		return false
	}
	if _, at := rawmem.TryPiece(to, src, frail || theirs); at != 0 {
		return false
	}
	c.Complete(p, hca.OpRecv, uint64(local.Len), 0, 0, flags&hca.Solicited != 0, &c.After)
	return true
}

// writeAtOnce carries out a small write. If it cannot, it returns false and changes nothing.
//
// It is not inlined, so that a build with a profile inlines the two lookups here, which saves more: the compiler
// does not use the profile for the calls of a function that it inlines itself.
//
//go:noinline
func (c *Conn) writeAtOnce(local hca.Segment, remote uint64, rkey hca.Key) bool {
	if local.Len == 0 {
		return false
	}
	src, frail, f := core.LocalMem(c.q.PD, local, hca.LocalRead)
	if f != core.FaultNone {
		return false
	}
	dst, g, f := c.peerPD.Adapter.Keys.CheckIn(c.peerPD, c.peer, rkey, remote, uint64(local.Len), c.write)
	if f != core.FaultNone {
		return false // the slow path reports the reason
	}
	switch {
	case frail || g.Frail:
		_, at := rawmem.TryWrite(dst, src, true, true)
		return at == 0
	case len(src) == 8 && rawmem.AddrOf(dst)%8 == 0:
		rawmem.StoreWord(dst, src)
	default:
		rawmem.WritePiece(dst, src, true)
	}
	return true
}
