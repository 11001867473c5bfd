package stream

import (
	"github.com/godapl/godapl/internal/hca"
	"github.com/godapl/godapl/internal/hca/soft/sendhalf"
)

// AtOnce implements sendhalf.Path for a short message. The messages of a list are gathered into one write.
func (c *Conn) AtOnce(id uint64, op hca.Op, flags hca.Flags, local hca.Segment, _ uint64, _ hca.Key) sendhalf.Now {
	if op != hca.OpSend || c.Batch {
		return sendhalf.NotNow
	}
	return c.sendShort(id, flags, local)
}
