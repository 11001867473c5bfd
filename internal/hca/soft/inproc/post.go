package inproc

import (
	"github.com/godapl/godapl/internal/hca"
	"github.com/godapl/godapl/internal/hca/soft/core"
)

func (c *Conn) PostSend(wr hca.SendWR) error {
	inside, err := c.q.Admit(&wr)
	if err != nil {
		return err
	}
	c.enqueue(&wr, inside)
	return nil
}

// enqueue queues a counted request, and carries it out or starts it if the caller is inside tx.
func (c *Conn) enqueue(wr *hca.SendWR, inside bool) {
	if !inside {
		c.q.PutInInbox(wr)
		c.RunSend()
		return
	}
	var af core.Deferred
	if !c.atOnce(wr, &af) {
		c.q.DrainInbox()
		c.q.SQ.Push(wr)
		c.pump(&af)
	}
	c.leave(&af)
}

func (c *Conn) PostSends(wrs []hca.SendWR) (n int, err error) {
	q := c.q
	var af core.Deferred
	fit, inside := q.BeginPosts(len(wrs))
	n, err = q.PostEach(wrs, fit, inside, func(wr *hca.SendWR) {
		if !c.atOnce(wr, &af) {
			q.SQ.Push(wr)
		}
	})
	if inside {
		c.pump(&af)
		c.leave(&af)
	} else if n > 0 {
		c.RunSend()
	}
	return n, err
}

// PostPlainWrite and PostPlainSend implement hca.PlainPoster. A write that can be carried out at once is not
// queued.

func (c *Conn) PostPlainWrite(id uint64, flags hca.Flags, local hca.Segment, remote uint64, rkey hca.Key) error {
	q := c.q
	n := uint64(local.Len)
	if n > core.PieceSize || q.State.Load() != core.StateReady {
		return c.PostSend(hca.SendWR{ID: id, Op: hca.OpWrite, Flags: flags, Local: local, Remote: remote, RKey: rkey})
	}
	counted, inside := q.Tx.CountIn(int(q.SendDepth))
	if !counted {
		if counted, inside = q.CountBehind(); !counted {
			return core.ErrSendFull
		}
	}
	if inside && q.NothingBefore() && c.writeAtOnce(local, remote, rkey) {
		if q.Completed(id, n, hca.OpWrite, flags) {
			c.goOn(flags)
		}
		return nil
	}
	c.enqueue(&hca.SendWR{ID: id, Op: hca.OpWrite, Flags: flags, Local: local, Remote: remote, RKey: rkey}, inside)
	return nil
}

func (c *Conn) PostPlainSend(id uint64, flags hca.Flags, local hca.Segment) error {
	q := c.q
	if uint64(local.Len) > q.Adapter.Attrs.MaxMessage || q.State.Load() != core.StateReady {
		return c.PostSend(hca.SendWR{ID: id, Op: hca.OpSend, Flags: flags, Local: local})
	}
	inside, err := q.CountPost()
	if err != nil {
		return err
	}
	c.enqueue(&hca.SendWR{ID: id, Op: hca.OpSend, Flags: flags, Local: local}, inside)
	return nil
}

// goOn does the work that other goroutines have marked at the gate, after a request that completed at once, and
// leaves tx.
func (c *Conn) goOn(flags hca.Flags) {
	var af core.Deferred
	af.WakeFor(c.q, flags)
	c.pump(&af)
	c.leave(&af)
}

// writeAtOnce carries out a small write. If it cannot, it returns false and changes nothing.
func (c *Conn) writeAtOnce(local hca.Segment, remote uint64, rkey hca.Key) bool {
	if local.Len == 0 {
		return false
	}
	src, frail, f := core.LocalMem(c.q.PD, local, hca.LocalRead)
	if f != core.FaultNone {
		return false
	}
	dst, g, f := c.far.Adapter.Keys.CheckIn(c.far, c.peer, rkey, remote, uint64(local.Len), hca.RemoteWrite)
	if f != core.FaultNone {
		return false // the slow path reports the reason
	}
	switch {
	case frail || g.Frail:
		_, at := core.TryWrite(dst, src, true, true)
		return at == 0
	case len(src) == 8 && core.AddrOf(dst)%8 == 0:
		core.StoreWord(dst, src)
	default:
		core.WritePiece(dst, src, true)
	}
	return true
}
