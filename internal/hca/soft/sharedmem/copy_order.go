package sharedmem

import (
	"github.com/godapl/godapl/internal/hca"
	"github.com/godapl/godapl/internal/hca/soft/core"
)

// A large transfer goes in pieces, and leaves its last ones in the processor's caches.
// The next one between the same bytes begins there: what has just been last comes first,
// and does not come from further away. That is so for what is larger with its target than
// the second-level cache, where half of it is found there, and for what is somewhat
// larger than the first-level one.
const (
	backLeast = 48 << 10
	backMost  = 128 << 10
)

// fineSize is the pieces of a large transfer between mappings: small against the caches, so
// that most of what is in them is found there. The kernel has larger ones.
const fineSize = 128 << 10

// lastTransfer is what the last such transfer of a connection was.
type lastTransfer struct {
	near, far uint64
	key       hca.Key
	back      bool
}

// backwards decides how the next one goes. The caller is inside tx.
func (c *Conn) backwards(near, far uint64, key hca.Key) bool {
	last := &c.out.last
	same := last.near == near && last.far == far && last.key == key
	*last = lastTransfer{near, far, key, same && !last.back}
	return last.back
}

// nextPiece is where the next piece is, and how long. Backwards, the last byte is a piece of
// its own, and comes at the end all the same: who sees it sees the rest.
func nextPiece(r *core.SendReq) (at, n uint64) {
	left := r.Total - r.Off
	if !r.Back || left == 1 {
		return r.Off, min(left, r.Step)
	}
	left--
	at = (left - 1) / r.Step * r.Step
	return at, left - at
}
