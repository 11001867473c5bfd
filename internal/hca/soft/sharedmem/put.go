package sharedmem

import (
	"github.com/godapl/godapl/internal/hca"
	"github.com/godapl/godapl/internal/hca/soft/core"
	"github.com/godapl/godapl/internal/shm"
)

// Put implements hca.Putter. It copies as oneSided does. The bytes are frail, whatever they are: a fault in the middle leaves
// the gate and the hazard slot, and the program meets it when it posts them instead.
func (c *Conn) Put(from []byte, remote uint64, rkey hca.Key) bool {
	q := c.q
	if q.State.Load() != core.StateReady || !q.Tx.TryEnter() {
		return false
	}
	defer c.LeaveSend()
	n := uint64(len(from))
	if c.gone || c.out.closed || c.bad.Load() || q.State.Load() != core.StateReady || !c.reaches(rkey, remote, n, hca.RemoteWrite) {
		return false
	}
	for len(from) > 0 {
		if q.State.Load() != core.StateReady {
			return false // who ends the connection waits for the gate
		}
		k := min(len(from), shm.PieceSize)
		how, _ := c.access(&c.out.rkeys, 0, rkey, remote, from[:k], true, hca.RemoteWrite, k == len(from))
		if how != accessDone {
			return false
		}
		from, remote = from[k:], remote+uint64(k)
	}
	if n > 0 {
		q.CountSent(hca.OpWrite, n)
	}
	return true
}
