package sharedmem

import (
	"github.com/godapl/godapl/internal/hca"
	"github.com/godapl/godapl/internal/hca/ops"
	"github.com/godapl/godapl/internal/hca/soft/core"
)

// startNext works on the oldest request that the peer does not have completely.
func (c *Conn) startNext(r *core.SendReq, budget *int, deferred *core.Deferred) step {
	q, wr := c.q, &r.WR
	if !r.Begun && c.fenced(wr.Flags) {
		return stepWait
	}
	if wr.Op == hca.OpBind {
		return c.startBind(r, deferred)
	}
	if !r.Begun && !core.LocalAll(q.PD, wr.Local, wr.More, ops.Of(wr.Op).Local) {
		return c.refuseOwn(r, hca.StatusLocalProtection, deferred)
	}
	switch wr.Op {
	case hca.OpSend, hca.OpSendImm, hca.OpSendInvalidate:
		if r.Total <= sendMost {
			return c.startSmall(r, deferred)
		}
		if c.canRendezvous(r) {
			return c.startRendezvous(r, deferred)
		}
		return c.startParts(r, framePart, budget, deferred)
	case hca.OpWrite, hca.OpWriteImm:
		if wr.Op == hca.OpWriteImm && r.Total <= inlineMost {
			return c.startInline(r, deferred) // the peer has to run anyway
		}
		if s, ok := c.oneSided(r, hca.RemoteWrite, budget, deferred); ok {
			return s
		}
		return c.startParts(r, frameWrite, budget, deferred)
	case hca.OpRead:
		if s, ok := c.oneSided(r, hca.RemoteRead, budget, deferred); ok {
			return s
		}
		return c.startAsk(r, frame{key: uint32(wr.RKey), addr: wr.Remote, total: r.Total}, frameRead, 0, deferred)
	}
	if c.oneSidedAtomic(r, deferred) {
		return stepNext
	}
	flags := uint8(0)
	if wr.Op == hca.OpCompareSwap {
		flags = flagSwap
	}
	return c.startAsk(r, frame{key: uint32(wr.RKey), addr: wr.Remote, a: wr.Operand, b: wr.Compare}, frameAtomic, flags, deferred)
}

// fenced reports whether a request with these flags waits for responses to earlier requests. Data that this
// side reads directly is complete before the next request starts.
func (c *Conn) fenced(flags hca.Flags) bool { return flags&hca.Fence != 0 && c.out.asking > 0 }

func (c *Conn) startBind(r *core.SendReq, deferred *core.Deferred) step {
	status, ok := c.q.RunBind(r)
	if !ok {
		return stepWait
	}
	if status != hca.StatusOK {
		return c.refuseOwn(r, status, deferred)
	}
	r.Done, r.Status, r.Frame = true, status, c.out.requests.sent
	return stepNext
}

// sendWord returns a message's immediate data or key, and the frame flags for it.
func sendWord(wr *hca.SendWR) (word uint32, flags uint8) {
	switch row := ops.Of(wr.Op); {
	case row.Imm:
		word, flags = wr.Imm, flagImm
	case row.Key:
		word, flags = uint32(wr.RKey), flagInvalidate
	}
	if wr.Flags&hca.Solicited != 0 {
		flags |= flagSolicited
	}
	return word, flags
}

// startSmall puts a message into a slot.
func (c *Conn) startSmall(r *core.SendReq, deferred *core.Deferred) step {
	o := &c.out
	slot, _, _, err := o.requests.room(0)
	if slot == nil {
		return c.full(err, deferred)
	}
	word, flags := sendWord(&r.WR)
	order64.PutUint32(slot, word)
	if !c.gather(&r.WR, 0, slot[sendHead:sendHead+int(r.Total)]) {
		return c.refuseOwn(r, hca.StatusLocalProtection, deferred)
	}
	o.requests.commit(frameSend, flags|flagLast|c.ackFlags(r.WR.Flags, 1), sendHead+int(r.Total), 0)
	c.recordAsked(r)
	r.Off = r.Total
	return stepNext
}

// startInline puts a small write into a slot.
func (c *Conn) startInline(r *core.SendReq, deferred *core.Deferred) step {
	o := &c.out
	slot, _, _, err := o.requests.room(0)
	if slot == nil {
		return c.full(err, deferred)
	}
	word, flags := sendWord(&r.WR)
	f := frame{word: word, key: uint32(r.WR.RKey), n: uint32(r.Total), total: r.Total, addr: r.WR.Remote}
	n := f.put(slot)
	if !c.gather(&r.WR, 0, slot[n:n+int(r.Total)]) {
		return c.refuseOwn(r, hca.StatusLocalProtection, deferred)
	}
	o.requests.commit(frameWriteInline, flags|flagLast|c.ackFlags(r.WR.Flags, 1), n+int(r.Total), 0)
	c.recordAsked(r)
	r.Off = r.Total
	return stepNext
}

const (
	// unackedMost is the largest number of requests that the peer handles without publishing an acknowledgement, if
	// their completions wake nobody. A post that finds its queue full looks at what is published.
	unackedMost = 8

	// unwokenMost is the largest number of those that it handles without waking this side. A ring that is full has a
	// request that does: this side may wait for room.
	unwokenMost = slots / 2

	// At most partsUnwoken of them go through the bulk area, and none of these is longer than partUnwoken: they leave
	// room there for one of any size, which wakes this side. Each counts as several requests.
	partsUnwoken = 8
	partUnwoken  = bulkSize / 2 / partsUnwoken
	partWeight   = unwokenMost / partsUnwoken
)

// ackFlags decides how the peer tells that it has handled a request of the given weight. A peer that wakes this side
// for a completion that nobody waits for interrupts a sleep for nothing, and pays for the system call.
func (c *Conn) ackFlags(flags hca.Flags, weight int) uint8 {
	o := &c.out
	o.unacked++
	o.unwoken += weight
	how := uint8(0)
	if flags&(hca.Suppress|hca.Quiet) == 0 || o.unwoken >= unwokenMost {
		how = c.wakeFlag()
	}
	if flags&(hca.Suppress|hca.Quiet) != 0 && o.unacked >= min(unackedMost, int(c.q.SendDepth)/2) {
		o.unacked = 0
		how |= flagAck
	}
	return how
}

// wakeFlag is that of a request whose acknowledgement wakes this side.
func (c *Conn) wakeFlag() uint8 {
	c.out.unwoken = 0
	return flagWake
}

// startAckRequest requests to be woken by the acknowledgement of all frames sent so far.
func (c *Conn) startAckRequest() {
	o := &c.out
	if slot, _, _, err := o.requests.room(0); slot != nil && err == nil {
		f := frame{}
		o.requests.commit(frameAckRequest, c.wakeFlag(), f.put(slot), 0)
		o.ackWanted, o.ringPeer = false, true
	}
}

// startParts sends bytes through the bulk area.
func (c *Conn) startParts(r *core.SendReq, kind uint8, budget *int, deferred *core.Deferred) step {
	o := &c.out
	word, flags := sendWord(&r.WR)
	for {
		n := int(min(r.Total-r.Off, chunkSize))
		if *budget <= 0 {
			return stepBudget
		}
		slot, data, at, err := o.requests.room(n)
		if slot == nil {
			return c.full(err, deferred)
		}
		if !c.gather(&r.WR, r.Off, data) {
			return c.refuseOwn(r, hca.StatusLocalProtection, deferred)
		}
		f := frame{word: word, key: uint32(r.WR.RKey), n: uint32(n), off: at, total: r.Total, addr: r.WR.Remote}
		fl := flags
		if r.Total <= partUnwoken { // it has no other part
			fl |= c.ackFlags(r.WR.Flags, partWeight)
		} else {
			fl |= c.wakeFlag()
		}
		r.Off += uint64(n)
		*budget -= n
		if r.Off == r.Total {
			fl |= flagLast
		}
		o.requests.commit(kind, fl, f.put(slot), n)
		c.recordAsked(r)
		if r.Off == r.Total {
			return stepNext
		}
	}
}

// startAsk sends a request that has a response, or the message of a write whose bytes are in their place.
func (c *Conn) startAsk(r *core.SendReq, f frame, kind, flags uint8, deferred *core.Deferred) step {
	o := &c.out
	slot, _, _, err := o.requests.room(0)
	if slot == nil {
		return c.full(err, deferred)
	}
	if kind == frameImm {
		flags |= c.ackFlags(r.WR.Flags, 1)
	} else {
		flags |= c.wakeFlag()
	}
	o.requests.commit(kind, flags, f.put(slot), 0)
	c.recordAsked(r)
	if ops.HasResponse(r.WR.Op) {
		o.asking++
	}
	return stepNext
}

func (c *Conn) recordAsked(r *core.SendReq) {
	r.Begun = true
	r.Frame = c.out.requests.sent
	c.out.ringPeer = true
}

// full waits for room in the ring. The peer wakes this side when it has handled some frames.
func (c *Conn) full(err error, deferred *core.Deferred) step {
	if err != nil {
		c.corrupt(err, deferred)
		return stepFailed
	}
	if c.out.requests.acked != c.out.requests.sent {
		before := c.out.requests.acked
		if !c.readAcks(deferred) {
			return stepFailed
		}
		if c.out.requests.acked != before {
			return stepBudget // there is room again: run again at once
		}
	}
	if at := c.out.requests.acked + 1; c.out.stalledAt != at { // else it is the same wait
		c.out.stalledAt = at
		c.q.StallBegins()
	}
	return stepWait
}

// gather copies bytes of the request, from offset off on, to the given slice.
func (c *Conn) gather(wr *hca.SendWR, off uint64, to []byte) bool {
	return c.q.Gather(to, wr.Local, wr.More, off, wr.Op)
}
