package sharedmem

import (
	"github.com/godapl/godapl/internal/hca"
	"github.com/godapl/godapl/internal/hca/soft/sharedmem/keydir"
)

// sweep releases the mappings to which no valid key leads. It takes both gates, so that nobody uses a mapping
// or holds one in an rkey cache.
func (c *Conn) sweep() {
	c.rx.Lock()
	c.q.Tx.Lock()
	c.sweepAndLeave()
}

// sweepAndLeave is sweep for a caller that is inside both gates. It leaves them.
func (c *Conn) sweepAndLeave() {
	if !c.gone {
		c.keepMapping()
		c.out.rkeys.clear()
		c.in.rkeys.clear()
		c.maps.Sweep(func(key uint32) bool {
			_, w := keydir.Find(c.peer.directory.Bytes(), key)
			return w != 0
		})
	}
	c.LeaveSend()
	if c.finishRecv() {
		c.Schedule()
	}
}

// keepMapping marks the mapping of the transfer in progress as used, so that sweep does not unmap it. A write cannot
// wait for the file to arrive again.
func (c *Conn) keepMapping() {
	q := c.q
	if q.SQ.Next == q.SQ.Tail {
		return
	}
	if r := q.SQ.At(q.SQ.Next); r.OneSided {
		*c.out.rkeys.place(r.WR.RKey) = rkey{}
		need := hca.RemoteWrite
		if r.WR.Op == hca.OpRead {
			need = hca.RemoteRead
		}
		c.lookUp(&c.out.rkeys, r.WR.RKey, need)
	}
}
