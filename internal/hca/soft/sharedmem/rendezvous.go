package sharedmem

import (
	"github.com/godapl/godapl/internal/hca"
	"github.com/godapl/godapl/internal/hca/soft/core"
	"github.com/godapl/godapl/internal/shm"
)

// Rendezvous: a large message is described, not sent. The receiver copies it once from the sender's memory into
// its receive, as a read would. The sender's request is complete when that is done.

const (
	pullMapped = 2 << 10  // smallest message, where the receiver can map the memory
	pullKernel = 16 << 10 // smallest message, where the kernel has to copy
	pullSeg    = 16       // bytes of a segment's description
	pullTurn   = 1 << 20  // bytes that are copied before other connections run
)

// canRendezvous reports whether the peer should fetch the message.
func (c *Conn) canRendezvous(r *core.SendReq) bool {
	if r.Off > 0 || r.Total < pullMapped || !c.peer.sees {
		return false
	}
	if r.Total >= pullKernel {
		return true
	}
	g := c.a.Keys.Get(r.WR.Local.Key)
	return g != nil && fileOf(g.MR) != nil && len(r.WR.More) == 0
}

// startRendezvous describes a message to the peer.
func (c *Conn) startRendezvous(r *core.SendReq, af *core.Deferred) step {
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
			n += pullSeg
		}
	})
	slot, list, at, err := o.requests.room(n)
	if slot == nil {
		return c.full(err, af)
	}
	segs(func(s hca.Segment) {
		if s.Len > 0 {
			order64.PutUint64(list, s.Addr)
			order64.PutUint32(list[8:], s.Len)
			order64.PutUint32(list[12:], uint32(s.Key))
			list = list[pullSeg:]
		}
	})
	word, flags := sendWord(&r.WR)
	f := frame{word: word, n: uint32(n), off: at, total: r.Total}
	o.requests.commit(framePull, flags|flagLast|flagAck, f.put(slot), n)
	c.asked(r)
	r.Off = r.Total
	return stepNext
}

// pullList is a copy of the description.
type pullList struct {
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
			if at := core.FirstFault(b, false); at != 0 {
				c.q.Faulted(at, r.WR.Op.String())
				return
			}
		}
		off += uint64(len(b))
	}
}

// take copies a description. It returns false if the description does not cover f.total bytes.
func (l *pullList) take(f *frame, data []byte) bool {
	l.n = len(data) / pullSeg
	if len(data)%pullSeg != 0 || l.n > len(l.segs) {
		return false
	}
	total := uint64(0)
	for i := range l.n {
		b := data[i*pullSeg:]
		l.segs[i] = hca.Segment{Addr: order64.Uint64(b), Len: order64.Uint32(b[8:]), Key: hca.Key(order64.Uint32(b[12:]))}
		total += uint64(l.segs[i].Len)
	}
	return total == f.total && total > 0
}

// at returns the place of the byte at off in the peer's memory, and how many bytes follow it there.
func (l *pullList) at(off uint64) (addr, n uint64, key hca.Key) {
	for i := range l.n {
		s := &l.segs[i]
		if off < uint64(s.Len) {
			return s.Addr + off, uint64(s.Len) - off, s.Key
		}
		off -= uint64(s.Len)
	}
	return 0, 0, 0
}

// pull fetches a message.
func (c *Conn) pull(f *frame, af *core.Deferred) core.Outcome {
	in, q := &c.in, c.q
	if in.kind == 0 {
		if data := f.payload(in.requests.bulk); data == nil || !in.list.take(f, data) {
			return c.malformed(errFrame, af)
		}
		if out := c.fit(f, af); out != core.Handled {
			return out
		}
		in.kind, in.off, in.total, in.key, in.addr = framePull, 0, f.total, f.key, f.addr
	}
	for budget := pullTurn; in.off < f.total; {
		if budget <= 0 {
			return core.Unfinished
		}
		to, frail, fault := in.cur.At(q, q.PD, in.off, shm.PieceSize)
		if fault != core.FaultNone {
			return c.failReceive(hca.StatusLocalProtection, hca.StatusRemoteOp, "the memory of a receive is not usable", af)
		}
		addr, n, key := in.list.at(in.off)
		to = to[:min(uint64(len(to)), n)]
		how, at := c.access(&in.views, 1, key, addr, to, frail, hca.LocalRead, false)
		switch {
		case how == accessDone:
		case at != 0:
			q.Faulted(at, "receive")
			return c.failReceive(hca.StatusLocalProtection, hca.StatusRemoteOp, "the memory of a receive is not usable", af)
		default:
			if c.m.closeStatus[1].Load() != 0 || c.hung.Load() {
				return core.MustWait // and over finds the reason
			}
			return c.refuse(hca.StatusLocalProtection, "the memory of a message that the peer had sent is gone", af)
		}
		in.off += uint64(len(to))
		budget -= len(to)
	}
	if c.m.closeStatus[1].Load() != 0 {
		return core.MustWait // the sender has flushed it, and may reuse its memory
	}
	in.kind = 0
	return c.conclude(f, af)
}
