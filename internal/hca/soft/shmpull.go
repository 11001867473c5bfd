package soft

import (
	"github.com/godapl/godapl/internal/hca"
	"github.com/godapl/godapl/internal/shm"
)

// A large message is not sent but described: the receiver copies it from the
// sender's memory into its receive, once, as a read would. The sender's request
// is complete when that is done.

const (
	pullMapped = 2 << 10  // from so many octets on, where the receiver can map them
	pullKernel = 16 << 10 // where the kernel has to copy
	pullSeg    = 16       // octets that describe a segment
	pullTurn   = 1 << 20  // octets that are copied before others have their turn
)

// pullable tells whether the peer had better fetch a message.
func (c *shmConn) pullable(r *sendReq) bool {
	if r.off > 0 || r.total < pullMapped || !c.peer.sees {
		return false
	}
	if r.total >= pullKernel {
		return true
	}
	g := c.a.keys.get(r.wr.Local.Key)
	return g != nil && fileOf(g.mr) != nil && len(r.wr.More) == 0
}

// startPull describes a message to the peer.
func (c *shmConn) startPull(r *sendReq, af *after) step {
	o := &c.out
	n := 0
	segs := func(f func(hca.Segment)) {
		f(r.wr.Local)
		for _, s := range r.wr.More {
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
	word, flags := sendWord(&r.wr)
	f := frame{word: word, n: uint32(n), off: at, total: r.total}
	o.requests.commit(frPull, flags|flLast|flTell, f.put(slot), n)
	c.asked(r)
	r.off = r.total
	return stepNext
}

// pullList is the description, as it was copied out.
type pullList struct {
	segs [16]hca.Segment
	n    int
}

// findLost looks for the page of a message that the peer could not copy. The kernel has
// told the peer so, and nobody has told this side's program.
func (c *shmConn) findLost(r *sendReq) {
	for off := uint64(0); off < r.total; {
		b, frail, f := scatter(c.q, c.q.pd, r.wr.Local, r.wr.More, off, r.total-off, hca.LocalRead)
		if f != faultNone {
			return
		}
		if frail {
			if at := firstLost(b, false); at != 0 {
				c.q.faulted(at, r.wr.Op.String())
				return
			}
		}
		off += uint64(len(b))
	}
}

// take copies a description. It reports false if it does not describe f.total
// octets.
func (l *pullList) take(f *frame, octets []byte) bool {
	l.n = len(octets) / pullSeg
	if len(octets)%pullSeg != 0 || l.n > len(l.segs) {
		return false
	}
	total := uint64(0)
	for i := range l.n {
		b := octets[i*pullSeg:]
		l.segs[i] = hca.Segment{Addr: order64.Uint64(b), Len: order64.Uint32(b[8:]), Key: hca.Key(order64.Uint32(b[12:]))}
		total += uint64(l.segs[i].Len)
	}
	return total == f.total && total > 0
}

// at is where the octet off lies in the peer's memory, and how many follow.
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
func (c *shmConn) pull(f *frame, af *after) outcome {
	in, q := &c.in, c.q
	if in.kind == 0 {
		if octets := f.octets(in.requests.bulk); octets == nil || !in.list.take(f, octets) {
			return c.malformed(errFrame, af)
		}
		if out := c.fit(f, af); out != handled {
			return out
		}
		in.kind, in.off, in.total, in.key, in.addr = frPull, 0, f.total, f.key, f.addr
	}
	for budget := pullTurn; in.off < f.total; {
		if budget <= 0 {
			return unfinished
		}
		to, frail, fault := in.cur.at(q, q.pd, in.off, shm.PieceSize)
		if fault != faultNone {
			return c.failReceive(hca.StatusLocalProtection, hca.StatusRemoteOp, "the memory of a receive is not usable", af)
		}
		addr, n, key := in.list.at(in.off)
		to = to[:min(uint64(len(to)), n)]
		how, at := c.access(&in.views, 1, key, addr, to, frail, hca.LocalRead, false)
		switch {
		case how == accessDone:
		case at != 0:
			q.faulted(at, "receive")
			return c.failReceive(hca.StatusLocalProtection, hca.StatusRemoteOp, "the memory of a receive is not usable", af)
		default:
			if c.m.verdict[1].Load() != 0 || c.hung.Load() {
				return waiting // and over finds the reason
			}
			return c.refuse(hca.StatusLocalProtection, "the memory of a message that the peer had sent is gone", af)
		}
		in.off += uint64(len(to))
		budget -= len(to)
	}
	if c.m.verdict[1].Load() != 0 {
		return waiting // the sender has flushed it, and may have used its memory
	}
	in.kind = 0
	return c.conclude(f, af)
}
