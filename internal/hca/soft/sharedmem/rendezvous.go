package sharedmem

import (
	"time"

	"github.com/godapl/godapl/internal/hca"
	"github.com/godapl/godapl/internal/hca/soft/core"
	"github.com/godapl/godapl/internal/hca/soft/rawmem"
	"github.com/godapl/godapl/internal/hca/soft/sharedmem/keydir"
	"github.com/godapl/godapl/internal/shm"
)

// Rendezvous: a large message is described, not sent. The receiver copies it once from the sender's memory into
// its receive, as a read would. The sender's request is complete when that is done.

const (
	rendezvousMapped = 2 << 10  // smallest message, where the receiver can map the memory
	rendezvousKernel = 16 << 10 // smallest message, where the kernel has to copy
	describedSize    = 16       // bytes of a segment's description
	rendezvousRun    = 1 << 20  // bytes that are copied before other connections run
	laterTries       = 64       // how often the receiver looks again at once for a key that the sender is changing
	laterTime        = time.Millisecond
)

// canRendezvous reports whether the peer should fetch the message.
func (c *Conn) canRendezvous(r *core.SendReq) bool {
	if r.Off > 0 || r.Total < rendezvousMapped || !c.peer.sees {
		return false
	}
	if r.Total < rendezvousKernel {
		g := c.a.Keys.Get(r.WR.Local.Key)
		if g == nil || fileOf(g.MR) == nil || len(r.WR.More) > 0 {
			return false
		}
	}
	// The peer finds the memory in the key directory only.
	if !c.p.lists(r.WR.Local) {
		return false
	}
	for _, s := range r.WR.More {
		if !c.p.lists(s) {
			return false
		}
	}
	return true
}

// startRendezvous describes a message to the peer.
func (c *Conn) startRendezvous(r *core.SendReq, deferred *core.Deferred) step {
	o := &c.out
	n := 0
	segs := func(f func(hca.Segment)) {
		f(r.WR.Local)
		for _, s := range r.WR.More {
			f(s)
		}
	}
	segs(func(s hca.Segment) {
		if s.Len > 0 {
			n += describedSize
		}
	})
	slot, list, at, err := o.requests.room(n)
	if slot == nil {
		return c.full(err, deferred)
	}
	segs(func(s hca.Segment) {
		if s.Len > 0 {
			order64.PutUint64(list, s.Addr)
			order64.PutUint32(list[8:], s.Len)
			order64.PutUint32(list[12:], uint32(s.Key))
			list = list[describedSize:]
		}
	})
	word, flags := sendWord(&r.WR)
	f := frame{word: word, n: uint32(n), off: at, total: r.Total}
	o.requests.commit(frameRendezvous, flags|flagLast|c.wakeFlag(), f.put(slot), n)
	c.recordAsked(r)
	r.Off = r.Total
	return stepNext
}

// describedList is a copy of the description.
type describedList struct {
	segs [16]hca.Segment
	n    int
}

// findLost looks for the page of a message that the peer could not copy. The kernel has reported the fault to
// the peer only, not to this side's program.
func (c *Conn) findLost(r *core.SendReq) {
	for off := uint64(0); off < r.Total; {
		b, frail, f := core.SegmentAt(c.q, c.q.PD, r.WR.Local, r.WR.More, off, r.Total-off, hca.LocalRead)
		if f != core.FaultNone {
			return
		}
		if frail {
			if at := rawmem.FirstFault(b, false); at != 0 {
				c.q.Faulted(at, r.WR.Op.String())
				return
			}
		}
		off += uint64(len(b))
	}
}

// take copies a description. It returns false if the description does not cover f.total bytes.
func (l *describedList) take(f *frame, data []byte) bool {
	l.n = len(data) / describedSize
	if len(data)%describedSize != 0 || l.n > len(l.segs) {
		return false
	}
	total := uint64(0)
	for i := range l.n {
		b := data[i*describedSize:]
		l.segs[i] = hca.Segment{Addr: order64.Uint64(b), Len: order64.Uint32(b[8:]), Key: hca.Key(order64.Uint32(b[12:]))}
		total += uint64(l.segs[i].Len)
	}
	return total == f.total && total > 0
}

// at returns the place of the byte at off in the peer's memory, and how many bytes follow it there.
func (l *describedList) at(off uint64) (addr, n uint64, key hca.Key) {
	for i := range l.n {
		s := &l.segs[i]
		if off < uint64(s.Len) {
			return s.Addr + off, uint64(s.Len) - off, s.Key
		}
		off -= uint64(s.Len)
	}
	return 0, 0, 0
}

// fetch fetches a message.
func (c *Conn) fetch(f *frame, deferred *core.Deferred) core.Outcome {
	in, q := &c.in, c.q
	if in.kind == 0 {
		if data := f.payload(in.requests.bulk); data == nil || !in.list.take(f, data) {
			return c.malformed(errFrame, deferred)
		}
		if out := c.fit(f, deferred); out != core.Handled {
			return out
		}
		in.kind, in.off, in.total, in.key, in.addr = frameRendezvous, 0, f.total, f.key, f.addr
	}
	for budget := rendezvousRun; in.off < f.total; {
		if budget <= 0 {
			return core.Unfinished
		}
		to, frail, fault := core.ReceiveAt(&in.Cur, q, q.PD, in.off, shm.PieceSize)
		if fault != core.FaultNone {
			return c.failReceive(hca.StatusLocalProtection, hca.StatusRemoteOp, "the memory of a receive is not usable", deferred)
		}
		addr, n, key := in.list.at(in.off)
		to = to[:min(uint64(len(to)), n)]
		how, at := c.fetchPiece(key, addr, to, frail)
		switch {
		case how == accessDone:
		case at != 0:
			q.Faulted(at, "receive")
			return c.failReceive(hca.StatusLocalProtection, hca.StatusRemoteOp, "the memory of a receive is not usable", deferred)
		default:
			if c.m.closeStatus[1].Load() != 0 || c.hungUp.Load() {
				return core.MustWait // peerEnded finds the reason
			}
			if how == accessLater {
				return in.tryLater(c)
			}
			return c.refuse(hca.OpSend, hca.StatusLocalProtection, "the memory of a message that the peer had sent is gone", deferred)
		}
		in.tries = 0
		in.off += uint64(len(to))
		budget -= len(to)
	}
	in.later.Clear()
	if c.m.closeStatus[1].Load() != 0 {
		return core.MustWait // the sender has flushed it, and may reuse its memory
	}
	in.kind = 0
	return c.conclude(f, deferred)
}

// tryLater waits for a key that the sender is changing. That takes less than a microsecond, unless the sender was stopped
// meanwhile or waits for another peer that was.
func (in *receiver) tryLater(c *Conn) core.Outcome {
	if in.tries++; in.tries < laterTries {
		return core.Unfinished
	}
	in.later.Clear()
	in.later.Begin(laterTime, c)
	return core.MustWait
}

// fetchPiece copies one piece. The peer may give the memory other rights meanwhile: as long as it can still be read, the
// piece can be copied again later.
func (c *Conn) fetchPiece(key hca.Key, addr uint64, to []byte, frail bool) (how accessed, lost uint64) {
	how, lost = c.access(&c.in.rkeys, 1, key, addr, to, frail, hca.LocalRead, false)
	if how != accessNoKey {
		return how, lost
	}
	_, before := keydir.Find(c.peer.directory.Bytes(), uint32(key))
	how, lost = c.access(&c.in.rkeys, 1, key, addr, to, frail, hca.LocalRead, false)
	_, after := keydir.Find(c.peer.directory.Bytes(), uint32(key))
	if how == accessNoKey && (before != after || keydir.Changing(after)) {
		how = accessLater
	}
	return how, lost
}
