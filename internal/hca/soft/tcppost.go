package soft

import "github.com/godapl/godapl/internal/hca"

func (c *tcpConn) PostSend(wr hca.SendWR) error {
	inside, err := c.q.admit(&wr)
	if err != nil {
		return err
	}
	c.enqueue(&wr, inside)
	return nil
}

// enqueue takes a counted request over, and starts it if the caller is inside tx.
func (c *tcpConn) enqueue(wr *hca.SendWR, inside bool) {
	if !inside {
		c.q.leaveWord(wr)
		c.runSend()
		return
	}
	var af after
	c.q.empty()
	c.q.sq.push(wr)
	if !c.gather() {
		c.pump(&af)
	}
	c.leave(&af)
}

func (c *tcpConn) PostSends(wrs []hca.SendWR) (n int, err error) {
	q := c.q
	fit, inside := q.beginPosts(len(wrs))
	for ; n < len(wrs); n++ {
		wr := &wrs[n]
		if err = q.checkPost(wr, n < fit); err != nil {
			break
		}
		if inside {
			q.sq.push(wr)
		} else {
			q.leaveWord(wr)
		}
	}
	if n < fit {
		q.tx.uncount(fit - n)
	}
	if inside {
		var af after
		c.pump(&af)
		c.leave(&af)
	} else if n > 0 {
		c.runSend()
	}
	return n, err
}

// PostPlainSend and PostPlainWrite implement hca.PlainPoster.

func (c *tcpConn) PostPlainSend(id uint64, flags hca.Flags, local hca.Segment) error {
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
	if !c.gather() {
		c.pump(&af)
	}
	c.leave(&af)
	return nil
}

func (c *tcpConn) PostPlainWrite(id uint64, flags hca.Flags, local hca.Segment, remote uint64, rkey hca.Key) error {
	return c.PostSend(hca.SendWR{ID: id, Op: hca.OpWrite, Flags: flags, Local: local, Remote: remote, RKey: rkey})
}

// goOn does what others have left word for, behind a request that was completed at once,
// and leaves tx.
func (c *tcpConn) goOn(flags hca.Flags) {
	var af after
	af.wakeFor(c.q, flags)
	c.pump(&af)
	c.leave(&af)
}
