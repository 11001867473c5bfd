package sharedmem

import (
	"github.com/godapl/godapl/internal/hca"
	"github.com/godapl/godapl/internal/hca/soft/core"
	"github.com/godapl/godapl/internal/hca/soft/sendhalf"
)

// AtOnce implements sendhalf.Path: a small write to mapped memory is carried out, and a short message goes into
// one slot.
func (c *Conn) AtOnce(id uint64, op hca.Op, flags hca.Flags, local hca.Segment, remote uint64, rkey hca.Key) sendhalf.Now {
	switch {
	case op == hca.OpSend:
		if !c.Batch && c.sendShort(id, flags, local) { // the messages of a list ring the bell together
			return sendhalf.NowSent
		}
	case c.q.NothingBefore() && c.writeAtOnce(local, remote, rkey):
		return sendhalf.NowDone
	}
	return sendhalf.NotNow
}

// PostPlainSend implements hca.PlainPoster. Through sendhalf.Half alone, a short message takes 4 % longer.
func (c *Conn) PostPlainSend(id uint64, flags hca.Flags, local hca.Segment) error {
	q := c.q
	if local.Len > sendMost || q.State.Load() != core.StateReady {
		return c.Half.PostPlainSend(id, flags, local)
	}
	counted, inside := q.Tx.CountIn(int(q.SendDepth))
	if !counted {
		if counted, inside = q.CountBehind(); !counted {
			return core.ErrSendFull
		}
	}
	if !inside || !c.sendShort(id, flags, local) {
		c.QueuePlain(id, hca.OpSend, flags, local, 0, 0, inside)
	} else if q.Tx.Leave() {
		c.LeaveCompleted(hca.Suppress)
	}
	return nil
}
