package soft

import (
	"github.com/godapl/godapl/internal/hca"
	"github.com/godapl/godapl/internal/shm"
)

// A large transfer goes in pieces, and leaves its last ones in the processor's cache.
// The next one between the same bytes begins there: what has just been last comes first,
// and half of it need not come from further away.

// lastReach is what the last large transfer of a connection was.
type lastReach struct {
	near, far uint64
	key       hca.Key
	back      bool
}

// backwards decides how a large transfer goes. One of several segments goes forwards.
func (c *shmConn) backwards(wr *hca.SendWR) bool {
	now := lastReach{near: wr.Local.Addr, far: wr.Remote, key: wr.RKey}
	last := &c.out.last
	same := last.near == now.near && last.far == now.far && last.key == now.key
	now.back = same && !last.back && len(wr.More) == 0
	*last = now
	return now.back
}

// piece is where the next piece is, and how long. Backwards, the last byte is a piece of
// its own, and comes at the end all the same: who sees it sees the rest.
func (r *sendReq) piece() (at, n uint64) {
	left := r.total - r.off
	if !r.back || left == 1 {
		return r.off, min(left, shm.PieceSize)
	}
	left--
	at = (left - 1) / shm.PieceSize * shm.PieceSize
	return at, left - at
}
