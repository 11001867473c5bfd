package soft

import (
	"github.com/godapl/godapl/internal/hca"
	"github.com/godapl/godapl/internal/shm"
)

func (c *shmConn) PostSend(wr hca.SendWR) error {
	inside, err := c.q.admit(&wr)
	if err != nil {
		return err
	}
	c.enqueue(&wr, inside)
	return nil
}

// enqueue takes a counted request over, and does or starts it if the caller is
// inside tx.
func (c *shmConn) enqueue(wr *hca.SendWR, inside bool) {
	if !inside {
		c.q.leaveWord(wr)
		c.runSend()
		return
	}
	var af after
	if !c.atOnce(wr, &af) {
		c.q.empty()
		c.q.sq.push(wr)
		c.pump(&af)
	}
	c.leave(&af)
}

func (c *shmConn) PostSends(wrs []hca.SendWR) (n int, err error) {
	q := c.q
	var af after
	fit, inside := q.beginPosts(len(wrs))
	if fit < len(wrs) && inside {
		c.pump(&af) // as makeRoom
		fit += q.countLent(len(wrs) - fit)
	}
	for ; n < len(wrs); n++ {
		wr := &wrs[n]
		if err = q.checkPost(wr, n < fit); err != nil {
			break
		}
		switch {
		case !inside:
			q.leaveWord(wr)
		case !c.atOnce(wr, &af):
			q.sq.push(wr)
		}
	}
	if n < fit {
		q.tx.uncount(fit - n)
	}
	if inside {
		c.pump(&af)
		c.leave(&af)
	} else if n > 0 {
		c.runSend()
	}
	return n, err
}

func (c *shmConn) PostPlainSend(id uint64, flags hca.Flags, local hca.Segment) error {
	q := c.q
	if uint64(local.Len) > q.a.attr.MaxMessage || q.state.Load() != stReady {
		return c.PostSend(hca.SendWR{ID: id, Op: hca.OpSend, Flags: flags, Local: local})
	}
	counted, inside := q.tx.countIn(int(q.sendDepth))
	if !counted {
		if counted, inside = q.countBehind(); !counted {
			return errSendFull
		}
	}
	if !inside {
		c.enqueue(&hca.SendWR{ID: id, Op: hca.OpSend, Flags: flags, Local: local}, false)
		return nil
	}
	if c.sendShort(id, flags, local) {
		return nil
	}
	var af after
	q.empty()
	q.sq.pushPlain(id, hca.OpSend, flags, local)
	c.pump(&af)
	c.leave(&af)
	return nil
}

// plainWrite is PostPlainWrite but for its short cut: a write that can be carried out at once
// becomes no request at all.
func (c *shmConn) plainWrite(id uint64, flags hca.Flags, local hca.Segment, remote uint64, rkey hca.Key) error {
	q := c.q
	if uint64(local.Len) > shm.PieceSize || q.state.Load() != stReady {
		return c.PostSend(hca.SendWR{ID: id, Op: hca.OpWrite, Flags: flags, Local: local, Remote: remote, RKey: rkey})
	}
	inside, err := q.countPost()
	if err != nil {
		return err
	}
	if inside {
		return c.plainWriteInside(id, flags, local, remote, rkey)
	}
	c.enqueue(&hca.SendWR{ID: id, Op: hca.OpWrite, Flags: flags, Local: local, Remote: remote, RKey: rkey}, false)
	return nil
}

// plainWriteInside is the rest of it for who has counted the request and is inside tx.
func (c *shmConn) plainWriteInside(id uint64, flags hca.Flags, local hca.Segment, remote uint64, rkey hca.Key) error {
	q := c.q
	if q.clear() && c.writeAtOnce(local, remote, rkey) {
		if q.completed(id, uint64(local.Len), hca.OpWrite, flags) {
			c.goOn(flags)
		}
		return nil
	}
	c.enqueue(&hca.SendWR{ID: id, Op: hca.OpWrite, Flags: flags, Local: local, Remote: remote, RKey: rkey}, true)
	return nil
}

// goOn does what others have left word for, behind a request that was completed at once,
// and leaves tx.
func (c *shmConn) goOn(flags hca.Flags) {
	var af after
	af.wakeFor(c.q, flags)
	c.pump(&af)
	c.leave(&af)
}
