package sharedmem

import (
	"github.com/godapl/godapl/internal/hca"
	"github.com/godapl/godapl/internal/hca/soft/core"
	"github.com/godapl/godapl/internal/hca/soft/rawmem"
)

// read responds with bytes of this side's memory. What does not fit into the response ring waits until the peer
// has taken some; in.off is the progress.
func (c *Conn) read(f *frame, deferred *core.Deferred) core.Outcome {
	in := &c.in
	if in.kind == 0 {
		if f.total > c.a.Attrs.MaxRDMA {
			return c.malformed(errFrame, deferred)
		}
		if _, _, fault := c.a.Keys.Check(c.q, hca.Key(f.key), f.addr, f.total, hca.RemoteRead); fault != core.FaultNone {
			return c.refuse(hca.OpRead, hca.StatusRemoteAccess, "the peer may not read there", deferred)
		}
		in.off, in.kind, in.total, in.key, in.addr = 0, f.kind, f.total, f.key, f.addr
	}
	for {
		n := int(min(f.total-in.off, chunkSize))
		slot, data, at, err := c.responseSlot(n)
		if err != nil {
			return c.malformed(err, deferred)
		}
		if slot == nil {
			return core.MustWait
		}
		if n > 0 {
			from, g, fault := c.a.Keys.Check(c.q, hca.Key(f.key), f.addr+in.off, uint64(n), hca.RemoteRead)
			if fault != core.FaultNone {
				return c.refuse(hca.OpRead, hca.StatusRemoteAccess, "the peer may not read there any more", deferred)
			}
			if _, at := rawmem.TryPiece(data, from, g.Frail); at != 0 {
				c.q.Faulted(at, "read of the peer's")
				return c.refuse(hca.OpRead, hca.StatusRemoteAccess, "the page does not allow what the peer may read", deferred)
			}
		}
		in.off += uint64(n)
		flags := uint8(0)
		if in.off == f.total {
			flags = flagLast
		}
		a := frame{n: uint32(n), off: at}
		in.answers.commit(frameData, flags, a.put(slot), n)
		in.ringPeer = true
		if flags != 0 {
			in.kind = 0
			return core.Handled
		}
	}
}

// responseSlot finds room for a response. If there is none, it reads once how many responses the peer has taken.
func (c *Conn) responseSlot(n int) (slot, data []byte, at uint32, err error) {
	r := &c.in.answers
	if slot, data, at, err = r.room(n); slot != nil || err != nil {
		return slot, data, at, err
	}
	if err = r.collect(); err != nil {
		return nil, nil, 0, err
	}
	return r.room(n)
}

// atomic changes a word of this side's memory and responds with the former value.
func (c *Conn) atomic(f *frame, deferred *core.Deferred) core.Outcome {
	op := hca.OpFetchAdd
	if f.flags&flagSwap != 0 {
		op = hca.OpCompareSwap
	}
	if f.addr%8 != 0 {
		return c.refuse(op, hca.StatusRemoteInvalid, "the peer named a word for an atomic that is not aligned", deferred)
	}
	slot, _, _, err := c.responseSlot(0)
	if err != nil {
		return c.malformed(err, deferred)
	}
	if slot == nil {
		return core.MustWait
	}
	word, g, fault := c.a.Keys.Check(c.q, hca.Key(f.key), f.addr, 8, hca.RemoteAtomic)
	if fault != core.FaultNone {
		return c.refuse(op, hca.StatusRemoteAccess, "the peer may not change that word", deferred)
	}
	old, at := rawmem.TryWord(word, g.Frail, f.flags&flagSwap != 0, f.a, f.b)
	if at != 0 {
		c.q.Faulted(at, "atomic of the peer's")
		return c.refuse(op, hca.StatusRemoteAccess, "the page does not allow what the peer may change", deferred)
	}
	a := frame{a: old}
	c.in.answers.commit(frameValue, flagLast, a.put(slot), 0)
	c.in.ringPeer = true
	return core.Handled
}
