package stream

import (
	"time"

	"github.com/godapl/godapl/internal/hca"
	"github.com/godapl/godapl/internal/hca/soft/core"
)

// meetTime is how long an operation that not every peer supports may wait until the peer is identified. A peer
// of this library identifies itself with the first bytes that the startup allows, whatever its program does.
const meetTime = 10 * time.Second

// extended reports whether an operation needs the extensions of RFC 7306.
func extended(op hca.Op) bool {
	return op == hca.OpWriteImm || op == hca.OpFetchAdd || op == hca.OpCompareSwap
}

// awaitMeeting is called whenever r, the oldest request that is not sent, cannot start because the peer has not
// sent anything yet. If that lasts too long, it fails r, and with it the connection. The caller is inside tx.
func (c *Conn) awaitMeeting(r *core.SendReq, af *core.Deferred) {
	if c.stall.Begin(meetTime, c.q) {
		return
	}
	c.refuseFor(r, hca.StatusTransport, "the peer has not sent anything for "+meetTime.String()+", so it is not known to have the extensions of RFC 7306", af)
}

// awaitFirst is awaitMeeting for a responder that may not send yet. An operation that every peer supports waits
// without limit: the peer's program may take any time before it sends.
func (c *Conn) awaitFirst(af *core.Deferred) {
	q := c.q
	if q.SQ.Next == q.SQ.Tail {
		return
	}
	if r := q.SQ.At(q.SQ.Next); extended(r.WR.Op) {
		c.awaitMeeting(r, af)
	}
}
