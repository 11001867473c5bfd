package sharedmem

import (
	"github.com/godapl/godapl/internal/hca"
	"github.com/godapl/godapl/internal/hca/soft/core"
	"github.com/godapl/godapl/internal/shm"
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
	if fit < len(wrs) && inside {
		c.pump(&af) // as makeRoom
		fit += q.CountLent(len(wrs) - fit)
	}
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

func (c *Conn) PostPlainSend(id uint64, flags hca.Flags, local hca.Segment) error {
	q := c.q
	if uint64(local.Len) > q.Adapter.Attrs.MaxMessage || q.State.Load() != core.StateReady {
		return c.PostSend(hca.SendWR{ID: id, Op: hca.OpSend, Flags: flags, Local: local})
	}
	counted, inside := q.Tx.CountIn(int(q.SendDepth))
	if !counted {
		if counted, inside = q.CountBehind(); !counted {
			return core.ErrSendFull
		}
	}
	if !inside {
		c.enqueue(&hca.SendWR{ID: id, Op: hca.OpSend, Flags: flags, Local: local}, false)
		return nil
	}
	if c.sendShort(id, flags, local) {
		return nil
	}
	var af core.Deferred
	q.DrainInbox()
	q.SQ.PushPlain(id, hca.OpSend, flags, local)
	c.pump(&af)
	c.leave(&af)
	return nil
}

// plainWrite is PostPlainWrite without its fast path. A write that can be carried out at once is not queued.
func (c *Conn) plainWrite(id uint64, flags hca.Flags, local hca.Segment, remote uint64, rkey hca.Key) error {
	q := c.q
	if uint64(local.Len) > shm.PieceSize || q.State.Load() != core.StateReady {
		return c.PostSend(hca.SendWR{ID: id, Op: hca.OpWrite, Flags: flags, Local: local, Remote: remote, RKey: rkey})
	}
	inside, err := q.CountPost()
	if err != nil {
		return err
	}
	if inside {
		return c.plainWriteInside(id, flags, local, remote, rkey)
	}
	c.enqueue(&hca.SendWR{ID: id, Op: hca.OpWrite, Flags: flags, Local: local, Remote: remote, RKey: rkey}, false)
	return nil
}

// plainWriteInside is the rest of plainWrite: the caller has counted the request and is inside tx.
func (c *Conn) plainWriteInside(id uint64, flags hca.Flags, local hca.Segment, remote uint64, rkey hca.Key) error {
	q := c.q
	if q.NothingBefore() && c.writeAtOnce(local, remote, rkey) {
		if q.Completed(id, uint64(local.Len), hca.OpWrite, flags) {
			c.goOn(flags)
		}
		return nil
	}
	c.enqueue(&hca.SendWR{ID: id, Op: hca.OpWrite, Flags: flags, Local: local, Remote: remote, RKey: rkey}, true)
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
