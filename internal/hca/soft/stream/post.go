package stream

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

// enqueue queues a counted request, and starts it if the caller is inside tx.
func (c *Conn) enqueue(wr *hca.SendWR, inside bool) {
	if !inside {
		c.q.PutInInbox(wr)
		c.RunSend()
		return
	}
	var af core.Deferred
	c.q.DrainInbox()
	c.q.SQ.Push(wr)
	if !c.coalesce() {
		c.pump(&af)
	}
	c.leave(&af)
}

func (c *Conn) PostSends(wrs []hca.SendWR) (n int, err error) {
	q := c.q
	fit, inside := q.BeginPosts(len(wrs))
	n, err = q.PostEach(wrs, fit, inside, q.SQ.Push)
	if inside {
		var af core.Deferred
		c.pump(&af)
		c.leave(&af)
	} else if n > 0 {
		c.RunSend()
	}
	return n, err
}

// PostPlainSend and PostPlainWrite implement hca.PlainPoster.

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
	if !c.coalesce() {
		c.pump(&af)
	}
	c.leave(&af)
	return nil
}

func (c *Conn) PostPlainWrite(id uint64, flags hca.Flags, local hca.Segment, remote uint64, rkey hca.Key) error {
	return c.PostSend(hca.SendWR{ID: id, Op: hca.OpWrite, Flags: flags, Local: local, Remote: remote, RKey: rkey})
}

// goOn does the work that other goroutines have marked at the gate, after a request that completed at once, and
// leaves tx.
func (c *Conn) goOn(flags hca.Flags) {
	var af core.Deferred
	af.WakeFor(c.q, flags)
	c.pump(&af)
	c.leave(&af)
}
