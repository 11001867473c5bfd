package stream

import (
	"github.com/godapl/godapl/internal/hca"
	"github.com/godapl/godapl/internal/hca/soft/core"
	"github.com/godapl/godapl/internal/hca/soft/sendhalf"
)

// PostPlainSend implements hca.PlainPoster. It does without the calls of sendhalf.Half.
func (c *Conn) PostPlainSend(id uint64, flags hca.Flags, local hca.Segment) error {
	q := c.q
	if !q.PlainReady(local.Len) {
		return c.Half.PostPlainSend(id, flags, local)
	}
	counted, inside := q.Tx.CountIn(int(q.SendDepth))
	if !counted {
		if counted, inside = q.CountBehind(); !counted {
			return core.ErrSendFull
		}
	}
	if !inside {
		c.QueuePlain(id, hca.OpSend, flags, local, 0, 0, false)
		return nil
	}
	switch c.sendShort(id, flags, local) {
	case sendhalf.NowDone:
		c.DonePlain(id, hca.OpSend, flags, uint64(local.Len))
	case sendhalf.NowSent:
		c.LeaveSend()
	default:
		c.StartQueued(id, hca.OpSend, flags, local, 0, 0)
	}
	return nil
}

// AtOnce implements sendhalf.Path for a short message. The messages of a list are gathered into one write.
func (c *Conn) AtOnce(id uint64, op hca.Op, flags hca.Flags, local hca.Segment, _ uint64, _ hca.Key) sendhalf.Now {
	if op != hca.OpSend || c.Batch {
		return sendhalf.NotNow
	}
	return c.sendShort(id, flags, local)
}
