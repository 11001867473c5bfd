package sharedmem

import (
	"github.com/godapl/godapl/internal/hca"
	"github.com/godapl/godapl/internal/hca/soft/core"
	"github.com/godapl/godapl/internal/hca/soft/gate"
	"github.com/godapl/godapl/internal/hca/soft/rawmem"
)

// PostPlainWrite implements hca.PlainPoster. Its fast path is an 8-byte write to another process's memory, as
// in a ping-pong between two polling programs. The latency of that ping-pong is bounded by the instructions
// between the load that sees the peer's word and our store. Keep them few and free of calls, so that the CPU
// can speculate past the load and request the target line early. Anything unusual takes the slow path. The
// checks are those of writeAtOnce.
func (c *Conn) PostPlainWrite(id uint64, flags hca.Flags, local hca.Segment, remote uint64, rkey hca.Key) error {
	q := c.q
	if local.Len != 8 || q.State.Load() != core.StateReady {
		return c.Half.PostPlainWrite(id, flags, local, remote, rkey)
	}
	back, w := q.Tx.Back.N.Load(), q.Tx.Word.Load()
	posted := gate.Between(back, w)
	if w&gate.HeldBit != 0 || posted >= int(q.SendDepth) || !q.Tx.Word.CompareAndSwap(w, (w|gate.HeldBit)+gate.CountOne) {
		return c.Half.PostPlainWrite(id, flags, local, remote, rkey)
	}
	pd, v, slot := q.PD, c.out.rkeys.at(rkey), c.m.hazard[0]
	from := pd.Adapter.Keys.Get(local.Key)
	if from == nil || v.key != uint64(rkey) || !q.NothingBefore() {
		c.StartPlain(id, hca.OpWrite, flags, local, remote, rkey)
		return nil
	}
	at, to := local.Addr-from.Addr, remote-v.addr
	if from.MW != nil || from.PD != pd || from.Access&hca.LocalRead == 0 || from.Frail || at+8 < 8 || at+8 > uint64(len(from.Bytes)) ||
		to+8 < 8 || to+8 > uint64(len(v.into)) || (rawmem.AddrOf(v.into)+to)%8 != 0 || !slot.Enter(v.word, v.record, v.word, c.m.order) {
		c.StartPlain(id, hca.OpWrite, flags, local, remote, rkey)
		return nil
	}
	if c.m.closeStatus[1].Load() != 0 {
		slot.Leave()
		c.StartPlain(id, hca.OpWrite, flags, local, remote, rkey)
		return nil
	}
	rawmem.StoreAt(v.into, to, rawmem.LoadAt(from.Bytes, at))
	slot.Leave()
	q.CountSent(hca.OpWrite, 8)
	if q.Completed(id, 8, hca.OpWrite, flags) {
		c.LeaveCompleted(flags)
	}
	return nil
}
