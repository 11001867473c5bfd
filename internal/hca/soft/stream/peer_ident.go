package stream

import (
	"time"

	"github.com/godapl/godapl/internal/hca"
	"github.com/godapl/godapl/internal/hca/soft/core"
)

// meetTime is how long an operation that not every peer has may wait to learn
// who the peer is. Our own adapter introduces itself with the first bytes that
// the start-up allows, whatever its program does.
const meetTime = 10 * time.Second

// extended tells the operations that need the extensions of RFC 7306.
func extended(op hca.Op) bool {
	return op == hca.OpWriteImm || op == hca.OpFetchAdd || op == hca.OpCompareSwap
}

// awaitMeeting is called whenever r, the oldest request that is not out, cannot
// start because the peer has not sent anything yet. Once that has lasted too
// long it fails r, and with it the connection. The caller is inside tx.
func (c *Conn) awaitMeeting(r *core.SendReq, af *core.Deferred) {
	if c.stall.Begin(meetTime, c.q) {
		return
	}
	c.refuseFor(r, hca.StatusTransport, "the peer has not sent anything for "+meetTime.String()+", so it is not known to have the extensions of RFC 7306", af)
}

// awaitFirst is awaitMeeting for a responder that may not send anything yet.
// Operations that every peer has wait without limit: the peer's program may
// think as long as it likes.
func (c *Conn) awaitFirst(af *core.Deferred) {
	q := c.q
	if q.SQ.Next == q.SQ.Tail {
		return
	}
	if r := q.SQ.At(q.SQ.Next); extended(r.WR.Op) {
		c.awaitMeeting(r, af)
	}
}
