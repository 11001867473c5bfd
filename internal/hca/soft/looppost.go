package soft

import (
	"github.com/godapl/godapl/internal/hca"
)

func (c *loopConn) PostSend(wr hca.SendWR) error {
	inside, err := c.q.admit(&wr)
	if err != nil {
		return err
	}
	c.enqueue(&wr, inside)
	return nil
}

// enqueue takes a counted request over, and does or starts it if the caller is
// inside tx.
func (c *loopConn) enqueue(wr *hca.SendWR, inside bool) {
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

func (c *loopConn) PostSends(wrs []hca.SendWR) (n int, err error) {
	q := c.q
	var af after
	fit, inside := q.beginPosts(len(wrs))
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

// PostPlainWrite and PostPlainSend implement hca.PlainPoster. A write that can be carried
// out at once becomes no request at all.

func (c *loopConn) PostPlainWrite(id uint64, flags hca.Flags, local hca.Segment, remote uint64, rkey hca.Key) error {
	q := c.q
	n := uint64(local.Len)
	if n > pieceSize || q.state.Load() != stReady {
		return c.PostSend(hca.SendWR{ID: id, Op: hca.OpWrite, Flags: flags, Local: local, Remote: remote, RKey: rkey})
	}
	counted, inside := q.tx.countIn(int(q.sendDepth))
	if !counted {
		if counted, inside = q.countBehind(); !counted {
			return errSendFull
		}
	}
	if inside && q.clear() && c.writeAtOnce(local, remote, rkey) {
		if q.completed(id, n, hca.OpWrite, flags) {
			c.goOn(flags)
		}
		return nil
	}
	c.enqueue(&hca.SendWR{ID: id, Op: hca.OpWrite, Flags: flags, Local: local, Remote: remote, RKey: rkey}, inside)
	return nil
}

func (c *loopConn) PostPlainSend(id uint64, flags hca.Flags, local hca.Segment) error {
	q := c.q
	if uint64(local.Len) > q.a.attr.MaxMessage || q.state.Load() != stReady {
		return c.PostSend(hca.SendWR{ID: id, Op: hca.OpSend, Flags: flags, Local: local})
	}
	inside, err := q.countPost()
	if err != nil {
		return err
	}
	c.enqueue(&hca.SendWR{ID: id, Op: hca.OpSend, Flags: flags, Local: local}, inside)
	return nil
}

// goOn does what others have left word for, behind a request that was completed at once,
// and leaves tx.
func (c *loopConn) goOn(flags hca.Flags) {
	var af after
	af.wakeFor(c.q, flags)
	c.pump(&af)
	c.leave(&af)
}

// writeAtOnce carries out a small write. It reports false, having done nothing,
// if it cannot.
func (c *loopConn) writeAtOnce(local hca.Segment, remote uint64, rkey hca.Key) bool {
	if local.Len == 0 {
		return false
	}
	src, frail, f := localMem(c.q.pd, local, hca.LocalRead)
	if f != faultNone {
		return false
	}
	dst, g, f := c.far.a.keys.checkIn(c.far, c.peer, rkey, remote, uint64(local.Len), hca.RemoteWrite)
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
