package stream

import (
	"time"

	"github.com/godapl/godapl/internal/hca"
	"github.com/godapl/godapl/internal/hca/ops"
	"github.com/godapl/godapl/internal/hca/soft/core"
)

// identifyTime is how long an operation that not every peer supports may wait until the peer is identified. A peer
// of this library identifies itself with the first bytes that the startup allows, whatever its program does.
const identifyTime = 10 * time.Second

// extended reports whether an operation needs the extensions of RFC 7306.
func extended(op hca.Op) bool { return ops.Of(op).Needs&(hca.CapAtomics|hca.CapWriteImm) != 0 }

// awaitIdentity is called whenever r, the oldest request that is not sent, cannot start because the peer has not
// sent anything yet. If that lasts too long, it fails r, and with it the connection. The caller is inside tx.
func (c *Conn) awaitIdentity(r *core.SendReq, deferred *core.Deferred) {
	if c.stall.Begin(identifyTime, c.q) {
		return
	}
	c.refuseFor(r, hca.StatusTransport, "the peer has not sent anything for "+identifyTime.String()+", so it is not known to have the extensions of RFC 7306", deferred)
}

// awaitFirst is awaitIdentity for a responder that may not send yet. An operation that every peer supports waits
// without limit: the peer's program may take any time before it sends.
func (c *Conn) awaitFirst(deferred *core.Deferred) {
	q := c.q
	if q.SQ.Next == q.SQ.Tail {
		return
	}
	if r := q.SQ.At(q.SQ.Next); extended(r.WR.Op) {
		c.awaitIdentity(r, deferred)
	}
}
