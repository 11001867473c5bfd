package sharedmem

import (
	"github.com/godapl/godapl/internal/hca"
	"github.com/godapl/godapl/internal/hca/soft/core"
)

// read responds with bytes of this side's memory. What does not fit into the response ring waits until the peer
// has taken some; in.off is the progress.
func (c *Conn) read(f *frame, af *core.Deferred) core.Outcome {
	in := &c.in
	if in.kind == 0 {
		if f.total > c.a.Attrs.MaxRDMA {
			return c.malformed(errFrame, af)
		}
		if f.total > 0 {
			if _, _, fault := c.a.Keys.Check(c.q, hca.Key(f.key), f.addr, f.total, hca.RemoteRead); fault != core.FaultNone {
				return c.refuse(hca.StatusRemoteAccess, "the peer may not read there", af)
			}
		}
		in.off, in.kind, in.total, in.key, in.addr = 0, f.kind, f.total, f.key, f.addr
	}
	for {
		n := int(min(f.total-in.off, chunkSize))
		slot, data, at, err := c.answerRoom(n)
		if err != nil {
			return c.malformed(err, af)
		}
		if slot == nil {
			return core.MustWait
		}
		if n > 0 {
			from, g, fault := c.a.Keys.Check(c.q, hca.Key(f.key), f.addr+in.off, uint64(n), hca.RemoteRead)
			if fault != core.FaultNone {
				return c.refuse(hca.StatusRemoteAccess, "the peer may not read there any more", af)
			}
			if _, at := core.TryPiece(data, from, g.Frail); at != 0 {
				c.q.Faulted(at, "read of the peer's")
				return c.refuse(hca.StatusRemoteAccess, "the page does not allow what the peer may read", af)
			}
		}
		in.off += uint64(n)
		flags := uint8(0)
		if in.off == f.total {
			flags = flagLast
		}
		a := frame{n: uint32(n), off: at}
		in.answers.commit(frameData, flags, a.put(slot), n)
		in.kick = true
		if flags != 0 {
			in.kind = 0
			return core.Handled
		}
	}
}

// answerRoom finds room for a response. If there is none, it reads once how many responses the peer has taken.
func (c *Conn) answerRoom(n int) (slot, data []byte, at uint32, err error) {
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
func (c *Conn) atomic(f *frame, af *core.Deferred) core.Outcome {
	if f.addr%8 != 0 {
		return c.refuse(hca.StatusRemoteInvalid, "the peer named a word for an atomic that is not aligned", af)
	}
	slot, _, _, err := c.answerRoom(0)
	if err != nil {
		return c.malformed(err, af)
	}
	if slot == nil {
		return core.MustWait
	}
	word, g, fault := c.a.Keys.Check(c.q, hca.Key(f.key), f.addr, 8, hca.RemoteAtomic)
	if fault != core.FaultNone {
		return c.refuse(hca.StatusRemoteAccess, "the peer may not change that word", af)
	}
	old, at := core.TryWord(word, g.Frail, f.flags&flagSwap != 0, f.a, f.b)
	if at != 0 {
		c.q.Faulted(at, "atomic of the peer's")
		return c.refuse(hca.StatusRemoteAccess, "the page does not allow what the peer may change", af)
	}
	a := frame{a: old}
	c.in.answers.commit(frameValue, flagLast, a.put(slot), 0)
	c.in.kick = true
	return core.Handled
}
