package soft

import "github.com/godapl/godapl/internal/hca"

// startNext works on the oldest request that is not wholly with the peer.
func (c *shmConn) startNext(r *sendReq, budget *int, af *after) step {
	q, wr := c.q, &r.wr
	if !r.begun && c.fenced(wr.Flags) {
		return stepWait
	}
	if wr.Op == hca.OpBind {
		return c.startBind(r, af)
	}
	if !r.begun {
		need := hca.LocalRead
		if answered(wr.Op) {
			need = hca.LocalWrite
		}
		if !localAll(q.pd, wr.Local, wr.More, need) {
			return c.refuseOwn(r, hca.StatusLocalProtection, af)
		}
	}
	switch wr.Op {
	case hca.OpSend, hca.OpSendImm, hca.OpSendInvalidate:
		if r.total <= sendMost {
			return c.startSmall(r, af)
		}
		if c.pullable(r) {
			return c.startPull(r, af)
		}
		return c.startParts(r, frPart, budget, af)
	case hca.OpWrite, hca.OpWriteImm:
		if wr.Op == hca.OpWriteImm && r.total <= hereMost {
			return c.startHere(r, af) // the peer has to run anyway
		}
		if s, ok := c.reach(r, hca.RemoteWrite, budget, af); ok {
			return s
		}
		return c.startParts(r, frWrite, budget, af)
	case hca.OpRead:
		if s, ok := c.reach(r, hca.RemoteRead, budget, af); ok {
			return s
		}
		return c.startAsk(r, frame{key: uint32(wr.RKey), addr: wr.Remote, total: r.total}, frRead, 0, af)
	}
	if c.reachWord(r, af) {
		return stepNext
	}
	flags := uint8(0)
	if wr.Op == hca.OpCompareSwap {
		flags = flSwap
	}
	return c.startAsk(r, frame{key: uint32(wr.RKey), addr: wr.Remote, a: wr.Operand, b: wr.Compare}, frAtomic, flags, af)
}

// fenced tells whether a request with these flags waits for the peer's answers to those
// before it. What this side reads by itself is there before the next request starts.
func (c *shmConn) fenced(flags hca.Flags) bool { return flags&hca.Fence != 0 && c.out.asking > 0 }

func (c *shmConn) startBind(r *sendReq, af *after) step {
	status, ok := c.q.runBind(r)
	if !ok {
		return stepWait
	}
	if status != hca.StatusOK {
		return c.refuseOwn(r, status, af)
	}
	r.done, r.status, r.frame = true, status, c.out.requests.sent
	return stepNext
}

// word and flags of a message, by what it is.
func sendWord(wr *hca.SendWR) (word uint32, flags uint8) {
	switch wr.Op {
	case hca.OpSendImm, hca.OpWriteImm:
		word, flags = wr.Imm, flImm
	case hca.OpSendInvalidate:
		word, flags = uint32(wr.RKey), flInvalidate
	}
	if wr.Flags&hca.Solicited != 0 {
		flags |= flSolicited
	}
	return word, flags
}

// startSmall puts a message into a slot.
func (c *shmConn) startSmall(r *sendReq, af *after) step {
	o := &c.out
	slot, _, _, err := o.requests.room(0)
	if slot == nil {
		return c.full(err, af)
	}
	word, flags := sendWord(&r.wr)
	order64.PutUint32(slot, word)
	if !c.gather(&r.wr, 0, slot[sendHead:sendHead+int(r.total)]) {
		return c.refuseOwn(r, hca.StatusLocalProtection, af)
	}
	o.requests.commit(frSend, flags|flLast|c.tellFlag(r.wr.Flags), sendHead+int(r.total), 0)
	c.asked(r)
	r.off = r.total
	return stepNext
}

// startHere puts a small write into a slot.
func (c *shmConn) startHere(r *sendReq, af *after) step {
	o := &c.out
	slot, _, _, err := o.requests.room(0)
	if slot == nil {
		return c.full(err, af)
	}
	word, flags := sendWord(&r.wr)
	f := frame{word: word, key: uint32(r.wr.RKey), n: uint32(r.total), total: r.total, addr: r.wr.Remote}
	n := f.put(slot)
	if !c.gather(&r.wr, 0, slot[n:n+int(r.total)]) {
		return c.refuseOwn(r, hca.StatusLocalProtection, af)
	}
	o.requests.commit(frWriteHere, flags|flLast|c.tellFlag(r.wr.Flags), n+int(r.total), 0)
	c.asked(r)
	r.off = r.total
	return stepNext
}

// silentMost is how many requests the peer handles at most without waking us, if
// nobody waits for their completions.
const silentMost = 8

// tellFlag decides whether the peer shall wake us when it has handled a request.
func (c *shmConn) tellFlag(flags hca.Flags) uint8 {
	o := &c.out
	if o.silent++; flags&hca.Suppress != 0 && o.silent < min(silentMost, int(c.q.sendDepth)/2) {
		return 0
	}
	o.silent = 0
	return flTell
}

// startNothing asks to be woken for what is still silent.
func (c *shmConn) startNothing() {
	o := &c.out
	if slot, _, _, err := o.requests.room(0); slot != nil && err == nil {
		f := frame{}
		o.requests.commit(frNothing, flTell, f.put(slot), 0)
		o.silent, o.owing, o.kick = 0, false, true
	}
}

// startParts sends octets through the bulk area.
func (c *shmConn) startParts(r *sendReq, kind uint8, budget *int, af *after) step {
	o := &c.out
	word, flags := sendWord(&r.wr)
	for {
		n := int(min(r.total-r.off, shmChunk))
		if *budget <= 0 {
			return stepBudget
		}
		slot, octets, at, err := o.requests.room(n)
		if slot == nil {
			return c.full(err, af)
		}
		if !c.gather(&r.wr, r.off, octets) {
			return c.refuseOwn(r, hca.StatusLocalProtection, af)
		}
		f := frame{word: word, key: uint32(r.wr.RKey), n: uint32(n), off: at, total: r.total, addr: r.wr.Remote}
		fl := flags | flTell
		r.off += uint64(n)
		*budget -= n
		if r.off == r.total {
			fl |= flLast
		}
		o.requests.commit(kind, fl, f.put(slot), n)
		c.asked(r)
		if r.off == r.total {
			return stepNext
		}
	}
}

// startAsk sends a request that the peer answers.
func (c *shmConn) startAsk(r *sendReq, f frame, kind, flags uint8, af *after) step {
	o := &c.out
	slot, _, _, err := o.requests.room(0)
	if slot == nil {
		return c.full(err, af)
	}
	o.requests.commit(kind, flags|flTell, f.put(slot), 0)
	o.silent = 0
	c.asked(r)
	if answered(r.wr.Op) {
		o.asking++
	}
	return stepNext
}

func (c *shmConn) asked(r *sendReq) {
	r.begun = true
	r.frame = c.out.requests.sent
	c.out.kick = true
}

// full waits for room in the ring. The peer wakes us for what it has handled.
func (c *shmConn) full(err error, af *after) step {
	if err != nil {
		c.corrupt(err, af)
		return stepFailed
	}
	if c.out.requests.acked != c.out.requests.sent {
		before := c.out.requests.acked
		if !c.collect(af) {
			return stepFailed
		}
		if c.out.requests.acked != before {
			return stepBudget // there is room again: come back at once
		}
	}
	return stepWait
}

// gather copies octets of the request, off octets into it.
func (c *shmConn) gather(wr *hca.SendWR, off uint64, to []byte) bool {
	for len(to) > 0 {
		from, frail, f := scatter(c.q, c.q.pd, wr.Local, wr.More, off, uint64(len(to)), hca.LocalRead)
		if f != faultNone {
			return false
		}
		n, at := tryPiece(to, from, frail)
		if at != 0 {
			c.q.faulted(at, wr.Op.String())
			return false
		}
		to = to[n:]
		off += uint64(n)
	}
	return true
}
