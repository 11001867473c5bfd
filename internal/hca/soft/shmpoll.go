package soft

import "github.com/godapl/godapl/internal/hca"

// poll is progress on a consumer's goroutine.
func (c *shmConn) poll(cq *cq, to *hca.WC) (one bool) {
	if !c.polled.Load() {
		c.polled.Store(true)
	}
	if !c.rx.tryEnter() {
		return false
	}
	if c.nothingIn() {
		c.in.requests.release()
		c.in.later = false
		back := c.back()
		if !c.rx.slip() {
			if back {
				c.runSend()
			}
			return false
		}
	} else {
		if to != nil && cq == c.q.rcq {
			one = c.takeOne(cq, to)
		}
		if !one || c.in.requests.c.Ready() {
			c.in.polls = true
		} else if !c.rx.slip() {
			return true
		}
	}
	if c.readOn() {
		c.schedule()
	}
	return one
}

// nothingIn and back tell at a glance whether there is something to do for the
// receiving and for the sending half. Most polls find that there is not. The caller is
// inside rx, so the shared memory stays, and enters tx only if need be.
func (c *shmConn) nothingIn() bool {
	return !c.gone && !c.in.requests.held && !c.in.requests.c.Ready() && c.m.verdict[1].Load() == 0 &&
		!c.hung.Load() && c.q.state.Load() == stReady && (c.watched.Load() || c.m.bell.Armed())
}

func (c *shmConn) back() bool {
	switch c.open.Load() {
	case openNone:
		return false
	case openSent:
		o := &c.out.requests
		return c.gone || o.p.Moved(o.seen.Load()) || c.q.inboxed.Load() != 0 || c.q.state.Load() != stReady
	}
	return true
}

// takeOne takes a message that came in a slot, of which nobody on the other side waits to
// hear that it has been handled, and puts it where the next receive says: from there to
// there, and the completion to the consumer. So most messages that somebody waits for
// come by few instructions. It is called inside rx by a consumer of the queue of
// receives, which was empty. What it does not do is what is put off for such a one: see
// lookBack. It says no, with nothing done, to all that is not plain.
func (c *shmConn) takeOne(cq *cq, to *hca.WC) bool {
	q, in := c.q, &c.in
	if c.gone || in.requests.held || in.closed || in.kind != 0 || in.curOn || in.stall.on || in.kick || in.later ||
		!c.watched.Load() || q.state.Load() != stReady || q.srq != nil || !cq.direct() {
		return false
	}
	e, data, ok := in.requests.c.Peek()
	if !ok || e.Kind != frSend || e.Flags != flLast || len(data) <= sendHead || in.requests.untold() >= silentMost-1 {
		return false
	}
	data = data[sendHead:]
	rc := q.rq.oldest()
	if rc == nil || len(rc.more) > 0 || len(data) > int(rc.local.Len) {
		return false
	}
	mem, frail, fault := localMem(q.pd, rc.local, hca.LocalWrite)
	if fault != faultNone {
		return false
	}
	raceRecv()
	if !tryCopy(mem, data, frail) {
		return false
	}
	in.requests.c.Skip()
	in.requests.done()
	in.later = true
	to.ID, to.Owner, to.Len, to.Imm, to.RKey, to.Vendor = rc.id, q.owner, uint64(len(data)), 0, 0, 0
	to.Op, to.Status, to.Flags = hca.OpRecv, hca.StatusOK, rc.flags
	if q.cfg.SolicitQuiet {
		to.Flags |= hca.Quiet
	}
	back := rc.back
	q.rq.drop()
	back.add(1)
	return true
}
