package soft

import (
	"github.com/godapl/godapl/internal/hca"
	"github.com/godapl/godapl/internal/shm"
)

// PostPlainWrite implements hca.PlainPoster. The short cut here is for 8 octets to another
// process's memory, which is what programs that look for a word write in turns. Where
// the processors pass a cache line on fast, what a turn takes is the instructions from
// the load that finds the other side's word to the store of one's own. A processor that
// foresees the end of the wait is through them, and asks for the line to store to, before
// that load is done, if they are few; so there are no calls before the store, and all that
// is not plain goes the long way. The checks are writeAtOnce's.
func (c *shmConn) PostPlainWrite(id uint64, flags hca.Flags, local hca.Segment, remote uint64, rkey hca.Key) error {
	q := c.q
	if local.Len != 8 || q.state.Load() != stReady {
		return c.plainWrite(id, flags, local, remote, rkey)
	}
	back, w := q.tx.back.n.Load(), q.tx.word.Load()
	posted := between(back, w)
	if d := c.ahead.Load(); posted == 0 && d != 0 {
		shm.PrefetchStore(remote + d)
	}
	if w&gateHeld != 0 || posted >= int(q.sendDepth) || !q.tx.word.CompareAndSwap(w, (w|gateHeld)+countOne) {
		return c.plainWrite(id, flags, local, remote, rkey)
	}
	pd, v, visit := q.pd, c.out.views.at(rkey), c.m.visit[0]
	from := pd.a.keys.get(local.Key)
	if from == nil || v.key != uint64(rkey) || !q.clear() {
		return c.plainWriteInside(id, flags, local, remote, rkey)
	}
	at, to := local.Addr-from.addr, remote-v.addr
	if from.mw != nil || from.pd != pd || from.access&hca.LocalRead == 0 || from.frail || at+8 < 8 || at+8 > uint64(len(from.bytes)) ||
		to+8 < 8 || to+8 > uint64(len(v.into)) || (addrOf(v.into)+to)%8 != 0 || !visit.Enter(v.key, v.record, v.key, c.m.order) {
		return c.plainWriteInside(id, flags, local, remote, rkey)
	}
	if c.m.verdict[1].Load() != 0 {
		visit.Leave()
		return c.plainWriteInside(id, flags, local, remote, rkey)
	}
	storeAt(v.into, to, loadAt(from.bytes, at))
	visit.Leave()
	if d := addrOf(v.into) - v.addr; c.ahead.Load() != d {
		c.ahead.Store(d) // the next one is most likely to the same mapping
	}
	if q.completed(id, 8, hca.OpWrite, flags) {
		c.goOn(flags)
	}
	return nil
}
