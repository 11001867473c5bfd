package sharedmem

import (
	"github.com/godapl/godapl/internal/hca"
	"github.com/godapl/godapl/internal/hca/soft/core"
	"github.com/godapl/godapl/internal/hca/soft/rawmem"
)

// Poll makes progress on a consumer's goroutine.
func (c *Conn) Poll(cq *core.CQ, to *hca.WC) (one bool) {
	if !c.Polled.Load() {
		c.Polled.Store(true)
	}
	if !c.started.Load() || !c.rx.TryEnter() { // a group has its members before they start
		return false
	}
	if c.recvIdle() {
		c.in.requests.release()
		c.in.ackDeferred = false
		back := c.sendHasWork()
		if !c.rx.Slip() {
			if back {
				c.RunSend()
			}
			return false
		}
	} else {
		if to != nil && cq == c.q.RecvCQ {
			one = c.takeOne(cq, to)
		}
		if !one || c.in.requests.c.Ready() {
			c.in.byConsumer = true
		} else if !c.rx.Slip() {
			return true
		}
	}
	if c.finishRecv() {
		c.Schedule()
	}
	return one
}

// recvIdle and sendHasWork check cheaply whether the receive half or the send half has work. Most polls find none.
// The caller is inside rx, so the shared memory stays mapped, and enters tx only if needed.
func (c *Conn) recvIdle() bool {
	return !c.gone && !c.in.requests.held && !c.in.requests.c.Ready() && c.m.closeStatus[1].Load() == 0 &&
		!c.hungUp.Load() && c.q.State.Load() == core.StateReady && (c.Watched.Load() || c.reports())
}

func (c *Conn) sendHasWork() bool {
	switch c.open.Load() {
	case openNone:
		return false
	case openSent:
		o := &c.out.requests
		return c.gone || o.p.HeadMoved(o.seen.Load()) || c.q.Inboxed.Load() != 0 || c.q.State.Load() != core.StateReady
	}
	return true
}

// takeOne is the fast path for one short message: it copies the message from its ring slot into the next
// receive and returns the completion directly. A consumer of the empty receive queue calls it, inside rx. It
// handles only messages for which the sender has not requested an acknowledgement; for anything else it returns
// false and changes nothing. It leaves the acknowledgement to the next poll: see checkSends.
func (c *Conn) takeOne(cq *core.CQ, to *hca.WC) bool {
	q, in := c.q, &c.in
	if c.gone || in.requests.held || in.closed || in.kind != 0 || in.HasCur || in.Stall.On || in.ringPeer || in.ackDeferred ||
		!c.Watched.Load() || q.State.Load() != core.StateReady || q.SRQ != nil || !cq.Direct() {
		return false
	}
	e, data, ok := in.requests.c.Peek()
	if !ok || e.Kind != frameSend || e.Flags != flagLast || len(data) <= sendHead || in.requests.unreleased() >= unackedMost-1 {
		return false
	}
	data = data[sendHead:]
	rc := q.RQ.Oldest()
	if rc == nil || len(rc.More) > 0 || len(data) > int(rc.Local.Len) {
		return false
	}
	mem, frail, fault := core.LocalMem(q.PD, rc.Local, hca.LocalWrite)
	if fault != core.FaultNone {
		return false
	}
	rawmem.RaceRecv()
	if !rawmem.TryCopy(mem, data, frail) {
		return false
	}
	in.requests.c.Skip()
	in.requests.done()
	in.ackDeferred = true
	q.CountReceived(hca.OpRecv, uint64(len(data)))
	q.RecordReceived(rc.ID, hca.OpRecv, uint64(len(data)))
	to.ID, to.Owner, to.Len, to.Imm, to.RKey, to.Vendor = rc.ID, q.Owner, uint64(len(data)), 0, 0, 0
	to.Op, to.Status, to.Flags = hca.OpRecv, hca.StatusOK, rc.Flags
	if q.Config.SolicitQuiet {
		to.Flags |= hca.Quiet
	}
	back := rc.Back
	q.RQ.Drop()
	back.Add(1)
	return true
}
